import type { Clock } from '../../runtime/clock.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { countByCreation, readByCreation } from './history-by-creation.ts'
import type { HistoryOwner, HistoryPosition, HistoryQuery } from './history-query.ts'
import type { MessageRow } from '../core/message-store.ts'

/** Everything that fits a query, newest first, as it stands at `nowMs`: what is accepted later does not come along. */
export interface HistoryExport {
  owner: HistoryOwner
  query: HistoryQuery
  nowMs: number
}

/** A few hundred kilobytes of text: enough to keep a connection busy, little to hold while it is not. */
const rowsAtOnce = 500

/**
 * The messages of an export, page by page: the next page is read when it is asked for, so a slow reader costs no memory. `db` should be a reader
 * of its own. No transaction stays open in between: a message that changes meanwhile comes as it is when its page is read.
 */
export async function* readExport(
  db: Db,
  { owner, query, nowMs }: HistoryExport,
): AsyncGenerator<MessageRow[]> {
  let position: HistoryPosition | null = null
  do {
    const page = await readByCreation(db, {
      owner,
      query: { ...query, order: 'desc', createdBeforeMs: endOf(query, nowMs) },
      position,
      limit: rowsAtOnce,
      horizonMs: nowMs,
    })
    if (page.rows.length > 0) yield page.rows
    position = page.next
  } while (position !== null)
}

/** How many messages an export will have; null when counting them would take longer than `patienceMs`. */
export async function countExport(
  { db, clock }: { db: Db; clock: Pick<Clock, 'monotonicMs'> },
  { owner, query, nowMs }: HistoryExport,
  patienceMs: number,
): Promise<number | null> {
  const untilMs = clock.monotonicMs() + patienceMs
  let total = 0
  let position: HistoryPosition | null = null
  do {
    if (clock.monotonicMs() > untilMs) return null
    const piece = await countByCreation(db, {
      owner,
      query: { ...query, order: 'desc', createdBeforeMs: endOf(query, nowMs) },
      position,
      limit: rowsAtOnce,
      horizonMs: nowMs,
    })
    total += piece.messages
    position = piece.next
  } while (position !== null)
  return total
}

const endOf = ({ createdBeforeMs }: HistoryQuery, nowMs: number): number =>
  Math.min(createdBeforeMs ?? Infinity, nowMs + 1)
