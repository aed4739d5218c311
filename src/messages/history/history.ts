import type { Db } from '../../storage/seam/dialect.ts'
import { readByCreation } from './history-by-creation.ts'
import type { HistoryPage, HistoryRequest } from './history-query.ts'
import { readTimelines, type TimelineEntry } from './history-timeline.ts'
import { readUpdates } from './history-updates.ts'
import { readUpdatesOfFew } from './history-updates-of-few.ts'

/**
 * Returns one page of the messages of one owner, by keyset: without gaps and repeats, regardless of new
 * messages. A page can have fewer than `limit` messages, even none, and still have a next one (see
 * `isSearch`). IDs and changes are in the order of commits, so an ascending page misses nothing that is
 * committed later.
 */
export async function readHistory(
  read: Db,
  request: HistoryRequest,
): Promise<HistoryPage & { timelines: TimelineEntry[][] | null }> {
  const { query, owner } = request
  const page = await readPage(read, request)
  return { ...page, timelines: query.timeline ? await readTimelines(read, owner, page.rows) : null }
}

async function readPage(db: Db, request: HistoryRequest): Promise<HistoryPage> {
  const { query } = request
  if (query.updatedAfterMs === null) return readByCreation(db, request)
  if (query.ids.length > 0 || query.sendId !== null) return readUpdatesOfFew(db, request)
  return readUpdates(db, request)
}
