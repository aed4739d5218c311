import type { Clock } from '../../runtime/clock.ts'
import { type HistoryDeps, readHistory } from './history.ts'
import type { HistoryPage, HistoryRequest } from './history-query.ts'

/**
 * One page for a person who looks for something rare: goes on over pages that come back thin until one is full, there are no more, or
 * `patienceMs` have passed. Each of them is short, so that others are served in between. `next` is where to go on in any case.
 */
export async function searchHistory(
  { clock, ...deps }: HistoryDeps & { clock: Pick<Clock, 'monotonicMs'> },
  asked: Omit<HistoryRequest, 'horizonMs'>,
  patienceMs: number,
): Promise<HistoryPage> {
  const untilMs = clock.monotonicMs() + patienceMs
  const found: HistoryPage = { rows: [], next: asked.position }
  do {
    const page = await readHistory(deps, {
      ...asked,
      position: found.next,
      limit: asked.limit - found.rows.length,
    })
    found.rows.push(...page.rows)
    found.next = page.next
  } while (found.next !== null && found.rows.length < asked.limit && clock.monotonicMs() < untilMs)
  return found
}
