import type { Clock } from '../../runtime/clock.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { countByCreation, readByCreation } from './history-by-creation.ts'
import type { HistoryOwner, HistoryPosition, HistoryQuery, HistoryRequest } from './history-query.ts'
import type { MessageRow } from '../core/message-store.ts'

/** All messages that match a query, newest first, as of `nowMs`: messages accepted later are not exported. */
export interface HistoryExport {
  owner: HistoryOwner
  query: HistoryQuery
  nowMs: number
}

/** A few hundred kilobytes of text: enough to keep a connection busy, little to hold while it is idle. */
const rowsAtOnce = 500

/**
 * Yields the messages of an export page by page. A page is read only when it is requested, so a slow reader
 * costs no memory. `db` should be a dedicated reader. No transaction stays open between pages: a message that
 * changes meanwhile is exported as it is when its page is read.
 */
export async function* readExport(db: Db, asked: HistoryExport): AsyncGenerator<MessageRow[]> {
  let position: HistoryPosition | null = null
  do {
    const page = await readByCreation(db, pageOf(asked, position))
    if (page.rows.length > 0) yield page.rows
    position = page.next
  } while (position !== null)
}

/** Counts the messages of an export; null when counting would take longer than `patienceMs`. */
export async function countExport(
  { db, clock }: { db: Db; clock: Pick<Clock, 'monotonicMs'> },
  asked: HistoryExport,
  patienceMs: number,
): Promise<number | null> {
  const untilMs = clock.monotonicMs() + patienceMs
  let total = 0
  let position: HistoryPosition | null = null
  do {
    if (clock.monotonicMs() > untilMs) return null
    const counted = await countByCreation(db, pageOf(asked, position))
    total += counted.messages
    position = counted.next
  } while (position !== null)
  return total
}

function pageOf({ owner, query, nowMs }: HistoryExport, position: HistoryPosition | null): HistoryRequest {
  const createdBeforeMs = Math.min(query.createdBeforeMs ?? Infinity, nowMs + 1)
  return { owner, query: { ...query, order: 'desc', createdBeforeMs }, position, limit: rowsAtOnce }
}
