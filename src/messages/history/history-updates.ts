import type { Db } from '../../storage/seam/dialect.ts'
import { conditionsOf, type HistoryPage, type HistoryRequest, justAfter } from './history-query.ts'
import { type Change, changeOf, compare, type Span } from './history-span.ts'
import { messagesChanged, searchBounds } from './history-update-sources.ts'
import { waitingBounds, waitingRoutes } from './history-waiting.ts'
import type { MessageRow } from '../core/message-store.ts'

/**
 * Returns one page in the order of the last change, oldest first. Final messages have an index by that time;
 * others are found where they are being processed. No index of `messages` contains the status, because every
 * change would have to move the row in it (47 instead of 31 µs per message).
 */
export async function readUpdates(db: Db, request: HistoryRequest): Promise<HistoryPage> {
  const toHorizon: Span = {
    after: startOf(request),
    below: { atMs: request.horizonMs, id: '' },
    conditions: conditionsOf(request.query),
  }
  const routes = waitingRoutes(db, request)
  const bounds = await Promise.all([
    searchBounds(db, request, toHorizon),
    routes.then((all) => waitingBounds(db, request, toHorizon, all)),
  ])
  const bound = bounds.flat().toSorted(compare)[0] ?? null
  const span = bound === null ? toHorizon : { ...toHorizon, below: { ...bound, id: justAfter(bound.id) } }
  const page = sliceUpdates(await messagesChanged(db, request, span, await routes), request)
  return page.next !== null || bound === null
    ? page
    : { ...page, next: { updatedAtMs: bound.atMs, id: bound.id } }
}

/** Cuts the page that begins after the position from rows in any order. */
export function sliceUpdates(rows: readonly MessageRow[], request: HistoryRequest): HistoryPage {
  const { limit, horizonMs } = request
  const after = startOf(request)
  const ordered = rows
    .filter((row) => row.updated_at < horizonMs && compare(changeOf(row), after) > 0)
    .toSorted((a, b) => compare(changeOf(a), changeOf(b)))
  const last = ordered.length > limit ? ordered[limit - 1] : undefined
  return {
    rows: ordered.slice(0, limit),
    next: last === undefined ? null : { updatedAtMs: last.updated_at, id: last.id },
  }
}

const startOf = ({ query, position }: HistoryRequest): Change => ({
  atMs: position?.updatedAtMs ?? query.updatedAfterMs ?? 0,
  id: position?.id ?? '',
})
