import type { Db } from '../../storage/seam/dialect.ts'
import { timeOfNumber } from '../core/change-number.ts'
import type { MessageRow } from '../core/message-store.ts'
import { readFew } from './history-by-creation.ts'
import {
  type ChangePlace,
  type HistoryPage,
  type HistoryPosition,
  type HistoryRequest,
  maxRowsRead,
} from './history-query.ts'
import { placeBefore, readChanges } from './history-updates.ts'

/** A message, the time of its last change, and the place of that in the record of changes, if it is known. */
interface Placed {
  row: MessageRow
  atMs: number
  place: ChangePlace | null
}

/**
 * Returns one page, in the order of the last change, of a query for IDs or for a send: all its messages are read, and the
 * record of changes only for those in flight, and where a page begins or ends within a millisecond. A message that changes
 * in that millisecond after the page was read has a later place there, regardless of its ID.
 */
export async function readUpdatesOfFew(db: Db, request: HistoryRequest): Promise<HistoryPage> {
  const { limit, query, position } = request
  const fromMs = position?.updatedAtMs ?? query.updatedAfterMs ?? 0
  const all = await withClaims(db, request, await readFew(db, request))
  const later = all.filter(({ atMs }) => atMs >= fromMs)
  // A cursor of an earlier version has only a time, of which all changes are repeated.
  const isPlaced = position?.change !== undefined
  const left = isPlaced
    ? (await placedAt(db, request, later, fromMs)).filter((each) => isAfter(each, position, fromMs))
    : later
  const ordered = left.toSorted(inOrder)
  const last = ordered[limit - 1]
  if (last === undefined || ordered.length === limit)
    return { rows: ordered.map(({ row }) => row), next: null }
  const page = (await placedAt(db, request, ordered, last.atMs)).toSorted(inOrder).slice(0, limit)
  return { rows: page.map(({ row }) => row), next: positionOf(page.at(-1) as Placed) }
}

const unknownPlace: ChangePlace = { number: 0, part: 0, index: 0 }
const numberOf = ({ place }: Placed): number => (place ?? unknownPlace).number

/** By time, then by unit, then by ID, as units record their messages. */
const inOrder = (a: Placed, b: Placed): number =>
  a.atMs - b.atMs || numberOf(a) - numberOf(b) || (a.row.id < b.row.id ? -1 : 1)

function isAfter(each: Placed, { change, id }: HistoryPosition, fromMs: number): boolean {
  const apart = numberOf(each) - (change ?? unknownPlace).number
  return each.atMs > fromMs || apart > 0 || (apart === 0 && each.row.id > id)
}

const positionOf = ({ row, atMs, place }: Placed): HistoryPosition => ({
  id: row.id,
  updatedAtMs: atMs,
  change: place ?? unknownPlace,
})

/** A claim writes no message: when one in flight was claimed says the record, a little after the time of the attempt. */
async function withClaims(db: Db, request: HistoryRequest, rows: readonly MessageRow[]): Promise<Placed[]> {
  const places = await findPlaces(
    db,
    request,
    rows.filter(({ status }) => status === 'sending'),
    Infinity,
  )
  return rows.map((row) => {
    const place = places.get(row.id) ?? null
    return { row, atMs: place === null ? row.updated_at : timeOfNumber(place.number), place }
  })
}

/** Adds the places of the messages that last changed in one millisecond. */
async function placedAt(
  db: Db,
  request: HistoryRequest,
  messages: readonly Placed[],
  atMs: number,
): Promise<Placed[]> {
  const unplaced = messages.filter((each) => each.atMs === atMs && each.place === null)
  const places = await findPlaces(
    db,
    request,
    unplaced.map(({ row }) => row),
    atMs,
  )
  return messages.map((each) => ({ ...each, place: each.place ?? places.get(each.row.id) ?? null }))
}

/** Changes read at once: those of a millisecond, unless it had many. */
const atOnce = 100

/**
 * Finds the places of messages, in the state in which they were read, in the record from the first of their times up to
 * `untilMs`. One that is not there, or not among the first `maxRowsRead` changes, comes before the others of its
 * millisecond.
 */
async function findPlaces(
  db: Db,
  { owner }: HistoryRequest,
  rows: readonly MessageRow[],
  untilMs: number,
): Promise<ReadonlyMap<string, ChangePlace>> {
  const sequenceOf = new Map(rows.map(({ id, sequence }) => [id, sequence]))
  const places = new Map<string, ChangePlace>()
  let after = placeBefore(rows.reduce((least, { updated_at }) => Math.min(least, updated_at), Infinity))
  for (let read = 0; places.size < rows.length && read < maxRowsRead; read += atOnce) {
    const changes = await readChanges(db, { owner, after, most: atOnce })
    for (const { id, sequence, place } of changes) {
      if (sequenceOf.get(id) === sequence) places.set(id, place)
      after = place
    }
    if (changes.length < atOnce || timeOfNumber(after.number) > untilMs) break
  }
  return places
}
