import type { Db, SelectEach, Value } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { lowestNumberAt, timeOfNumber } from '../core/change-number.ts'
import { entriesAfter } from '../core/message-changes.ts'
import { messageColumns, type MessageRow } from '../core/message-store.ts'
import { hasOpenAttempt, withOpenAttempts } from '../core/open-attempt.ts'
import {
  type ChangePlace,
  type Condition,
  conditionsOf,
  type HistoryOwner,
  type HistoryPage,
  type HistoryPosition,
  type HistoryRequest,
  maxRowsRead,
} from './history-query.ts'

/** One change of a message, as recorded. Out of date once its message has a higher sequence. */
interface PlacedChange {
  id: string
  sequence: number
  place: ChangePlace
}

/**
 * Returns one page in the order of the last change, oldest first. Changes are recorded in the order of their
 * commits, so the page ends with the last one that is committed. Each message is returned at its last change;
 * earlier ones are out of date. Reads at most `maxRowsRead` changes: a page can then be shorter than its limit.
 */
export async function readUpdates(db: Db, request: HistoryRequest): Promise<HistoryPage> {
  const { owner, query, limit } = request
  const after = startOf(request)
  const { found, bound } = await readWithin(db, { owner, after, limit, conditions: conditionsOf(query) })
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const isFull = found.length > limit
  const readTo = positionAt(last, (isFull ? null : bound) ?? (last === undefined ? after : placeOf(last)))
  return { rows: shown.filter(isCurrent), next: isFull || bound !== null ? readTo : null, readTo }
}

/** What a page is read from. */
interface Reading {
  owner: HistoryOwner
  after: ChangePlace
  limit: number
  conditions: readonly Condition[]
}

/**
 * Reads up to `limit + 1` messages, and the place of the last change among which they were looked for; null if that was not
 * reached, or there are fewer. It is found first: what is recorded afterwards is past it.
 */
async function readWithin(
  db: Db,
  reading: Reading,
): Promise<{ found: AtChange[]; bound: ChangePlace | null }> {
  const isFiltered = reading.conditions.length > 0
  // Most pages without a filter are full.
  const found = isFiltered ? [] : await readCurrent(db, reading)
  if (found.length > reading.limit) return { found, bound: null }
  const bound = await readBound(db, reading)
  return { found: isFiltered || bound !== null ? await readCurrent(db, reading) : found, bound }
}

/** The time and ID of the position are those of its last row, for nodes of an earlier version. */
const positionAt = (last: MessageRow | undefined, change: ChangePlace): HistoryPosition => ({
  id: last?.id ?? '',
  updatedAtMs: last?.updated_at ?? timeOfNumber(change.number),
  change,
})

/** A cursor of an earlier version has only a time, from which the changes are repeated. */
function startOf({ query, position }: HistoryRequest): ChangePlace {
  if (position?.change !== undefined) return position.change
  return placeBefore(position?.updatedAtMs ?? query.updatedAfterMs ?? 0)
}

/** Returns the place before all changes of a millisecond. */
export const placeBefore = (atMs: number): ChangePlace => ({
  number: lowestNumberAt(atMs),
  part: 0,
  index: -1,
})

/** A message at one of its changes, which is the last one if it has that sequence. */
type AtChange = MessageRow & { number: number; part: number; place: number; recorded: number }

const placeOf = ({ number, part, place }: AtChange): ChangePlace => ({ number, part, index: place })
const isCurrent = ({ sequence, recorded }: AtChange): boolean => sequence === recorded

const inputs = ['account', 'mode', 'number', 'part', 'place']
const valuesOf = ({ owner, after }: Pick<Reading, 'owner' | 'after'>): Value[] => [
  owner.accountId,
  owner.mode,
  after.number,
  after.part,
  after.index,
]

const columns = messageColumns.map((column) => `messages.${column}`).join(', ')
const inOrder = `
  order by e.number, e.part
  --postgres: , e.place
  `

/** Each message is looked up by its key. Of one in flight, the open attempt is one more change. */
const currentThat = (conditions: readonly Condition[]): SelectEach => ({
  sql: `select e.number, e.part, e.place, e.recorded, ${columns}
  from (${entriesAfter} limit ${maxRowsRead}) e
  --sqlite: cross join messages messages on
  --postgres: cross join lateral (select ${columns} from messages messages where
    messages.account_id = :account and messages.mode = :mode and messages.id = e.id
  --postgres: limit 1) messages
  where messages.sequence = e.recorded - (case when messages.status = 'queued' and ${hasOpenAttempt('messages')} then 1 else 0 end)
    ${conditions.map((each) => `and ${each.sql}`).join(' ')} ${inOrder} limit :rows`,
  inputs: [...inputs, 'rows', ...conditions.flatMap(({ values }) => Object.keys(values))],
  ...(conditions.length > 0 && { varies: true }),
})
const current = currentThat([])

/**
 * Reads the messages at those of the next changes that are their last ones and match the query, one more than its limit. One
 * that is claimed, or whose attempt ends, between the two statements is not current.
 */
async function readCurrent(db: Db, { conditions, ...reading }: Reading): Promise<AtChange[]> {
  const statement = conditions.length === 0 ? current : currentThat(conditions)
  const wanted = conditions.flatMap(({ values }) => Object.values(values))
  const rows = await selectEach<AtChange>(db, statement, [
    [...valuesOf(reading), reading.limit + 1, ...wanted],
  ])
  return withOpenAttempts(db, rows)
}

const bound = {
  sql: `select e.number, e.part, e.place from (${entriesAfter}) e ${inOrder} limit 1 offset ${maxRowsRead - 1}`,
  inputs,
}

/** Finds the last of the next `maxRowsRead` changes; null when there are fewer. */
async function readBound(db: Db, reading: Reading): Promise<ChangePlace | null> {
  const [last] = await selectEach<AtChange>(db, bound, [valuesOf(reading)])
  return last === undefined ? null : placeOf(last)
}

const next = {
  sql: `select e.number, e.part, e.place, e.id, e.recorded from (${entriesAfter}) e ${inOrder} limit :rows`,
  inputs: [...inputs, 'rows'],
}

/** Reads the next changes after a place, at most `most`. */
export async function readChanges(
  db: Db,
  { most, ...from }: { owner: HistoryOwner; after: ChangePlace; most: number },
): Promise<PlacedChange[]> {
  const rows = await selectEach<AtChange>(db, next, [[...valuesOf(from), most]])
  return rows.map((row) => ({ id: row.id, sequence: row.recorded, place: placeOf(row) }))
}
