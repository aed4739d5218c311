import type { Db } from '../../storage/seam/dialect.ts'
import { readByCreation, readFew } from './history-by-creation.ts'
import type { HistoryPage, HistoryRequest } from './history-query.ts'
import { readTimelines, type TimelineEntry } from './history-timeline.ts'
import { readUpdates, sliceUpdates } from './history-updates.ts'

export interface HistoryDeps {
  read: Db
  /** Returns the instant before which everything is stored: see history-horizon.ts. */
  safeHorizonMs(): number | Promise<number>
}

/**
 * Returns one page of the messages of one owner, by keyset: without gaps and repeats, regardless of new
 * messages. A page can have fewer than `limit` messages, even none, and still have a next one (see
 * `isSearch`). Ascending pages end at the safe horizon.
 */
export async function readHistory(
  deps: HistoryDeps,
  asked: Omit<HistoryRequest, 'horizonMs'>,
): Promise<HistoryPage & { timelines: TimelineEntry[][] | null }> {
  // Read first: later commits are beyond it.
  const request = { ...asked, horizonMs: await deps.safeHorizonMs() }
  const { query, owner } = request
  const page = await readPage(deps.read, request)
  return { ...page, timelines: query.timeline ? await readTimelines(deps.read, owner, page.rows) : null }
}

async function readPage(db: Db, request: HistoryRequest): Promise<HistoryPage> {
  const { query } = request
  if (query.updatedAfterMs === null) return readByCreation(db, request)
  if (query.ids.length > 0 || query.sendId !== null) return sliceUpdates(await readFew(db, request), request)
  return readUpdates(db, request)
}
