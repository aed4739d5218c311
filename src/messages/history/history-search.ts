import type { Clock } from '../../runtime/clock.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { readHistory } from './history.ts'
import type { HistoryPage, HistoryRequest } from './history-query.ts'

/**
 * Returns one page of a search for something rare: reads short pages until one is full, none are left, or
 * `patienceMs` have passed. Each read is short, so that other requests are served in between. `next` is where
 * to continue in any case.
 */
export async function searchHistory(
  { clock, read }: { read: Db; clock: Pick<Clock, 'monotonicMs'> },
  asked: HistoryRequest,
  patienceMs: number,
): Promise<HistoryPage> {
  const untilMs = clock.monotonicMs() + patienceMs
  const found: HistoryPage = { rows: [], next: asked.position }
  do {
    const page = await readHistory(read, {
      ...asked,
      position: found.next,
      limit: asked.limit - found.rows.length,
    })
    found.rows.push(...page.rows)
    found.next = page.next
  } while (found.next !== null && found.rows.length < asked.limit && clock.monotonicMs() < untilMs)
  return found
}
