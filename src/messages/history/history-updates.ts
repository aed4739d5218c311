import { sql, type SqlBool } from 'kysely'
import type { Db } from '../../storage/seam/dialect.ts'
import { lowestNumberAt, timeOfNumber } from '../core/change-number.ts'
import { readEntries, type RecordedChange } from '../core/message-changes.ts'
import type { MessageRow } from '../core/message-store.ts'
import { withOpenAttempts } from '../core/open-attempt.ts'
import {
  type ChangePlace,
  conditionsOf,
  type HistoryPage,
  type HistoryRequest,
  maxRowsRead,
  padded,
} from './history-query.ts'

export interface PlacedChange extends RecordedChange {
  place: ChangePlace
}

/**
 * Changes read at once, in the sizes of `padded`: of the four of a life the last one is shown, so that these are enough for
 * most pages of the default limit.
 */
const atOnceFor = (limit: number): number => (limit < 3 ? 10 : 150)

/**
 * Returns one page in the order of the last change, oldest first. Changes are recorded in the order of their
 * commits, so the page ends with the last one that is committed. Each message is returned at its last change;
 * earlier ones are out of date. Reads at most `maxRowsRead` changes: a page can then be shorter than its limit.
 */
export async function readUpdates(db: Db, request: HistoryRequest): Promise<HistoryPage> {
  const { limit } = request
  const rows: MessageRow[] = []
  const atOnce = atOnceFor(limit)
  let change = startOf(request)
  for (let read = 0; read < maxRowsRead; read += atOnce) {
    const changes = await readChanges(db, request, { after: change, most: atOnce })
    const found = await messagesOf(db, request, changes)
    for (const { id, sequence, place } of changes) {
      const row = found.get(id)
      const isLast = row !== undefined && row.sequence === sequence
      if (isLast && rows.length === limit) return pageOf(rows, change, true)
      if (isLast) rows.push(row)
      change = place
    }
    if (changes.length < atOnce) return pageOf(rows, change, false)
  }
  return pageOf(rows, change, true)
}

/** The time and ID of the position are those of its last row, for nodes of an earlier version. */
function pageOf(rows: MessageRow[], change: ChangePlace, isMore: boolean): HistoryPage {
  const last = rows.at(-1)
  const readTo = {
    id: last?.id ?? '',
    updatedAtMs: last?.updated_at ?? timeOfNumber(change.number),
    change,
  }
  return { rows, next: isMore ? readTo : null, readTo }
}

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

/** Reads the next changes after a place, at most `most`. */
export async function readChanges(
  db: Db,
  { owner }: Pick<HistoryRequest, 'owner'>,
  { after, most }: { after: ChangePlace; most: number },
): Promise<PlacedChange[]> {
  const rows = await db
    .selectFrom('message_changes')
    .select(['number', 'part', 'messages'])
    .where('account_id', '=', owner.accountId)
    .where('mode', '=', owner.mode)
    .where(sql<SqlBool>`(number, part) >= (${after.number}, ${after.part})`)
    .orderBy('number')
    .orderBy('part')
    // The first row may have been read to its end.
    .limit(most + 1)
    .execute()
  const changes: PlacedChange[] = []
  for (const { number, part, messages } of rows) {
    const isRead = number === after.number && part === after.part
    for (const [index, entry] of readEntries(messages).entries())
      if (!isRead || index > after.index) changes.push({ ...entry, place: { number, part, index } })
    if (changes.length >= most) return changes.slice(0, most)
  }
  return changes
}

/**
 * Reads the messages of changes that match the query, by ID: those that have not changed since, and others that are
 * queued, because the open attempt counts as a change of those. Most changes are out of date, and their messages are not
 * returned.
 */
async function messagesOf(
  db: Db,
  { owner, query }: HistoryRequest,
  changes: readonly RecordedChange[],
): Promise<ReadonlyMap<string, MessageRow>> {
  const last = new Map(changes.map(({ id, sequence }) => [id, sequence]))
  if (last.size === 0) return new Map()
  const states = padded([...last].map(([id, sequence]) => `${id}:${sequence}`))
  const rows = await db
    .selectFrom('messages')
    .selectAll()
    .where('account_id', '=', owner.accountId)
    .where('mode', '=', owner.mode)
    .where('id', 'in', padded([...last.keys()]))
    .where(sql<SqlBool>`(status = 'queued' or id || ':' || sequence in (${sql.join(states)}))`)
    .where((is) => is.and(conditionsOf(query)))
    .execute()
  return new Map((await withOpenAttempts(db, rows)).map((row) => [row.id, row]))
}
