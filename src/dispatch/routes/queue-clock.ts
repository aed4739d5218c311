import { sql } from 'kysely'
import type { Clock } from '../../runtime/clock.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { longestBackoffMs } from '../outcomes/retry-policy.ts'

/**
 * The time by which queued messages are due: the wall clock, except that it never steps back (decision 9).
 * When the wall clock does, this clock continues at the pace of the monotonic clock until the wall clock has
 * caught up, so that nothing waits longer than it should.
 */
export class QueueClock {
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>
  #atMs = Number.NEGATIVE_INFINITY
  #sinceMs = 0

  constructor(clock: Pick<Clock, 'now' | 'monotonicMs'>) {
    this.#clock = clock
  }

  now(): number {
    const elapsedMs = this.#clock.monotonicMs()
    const steadyMs = Math.floor(this.#atMs + elapsedMs - this.#sinceMs)
    const wallMs = this.#clock.now()
    if (wallMs <= steadyMs) return steadyMs
    this.#set(wallMs, elapsedMs)
    return wallMs
  }

  /**
   * Makes up for a step back while no process ran. Nothing can be due later than the longest back-off from
   * now, unless the clock was ahead when it was written. Then all of it is due, which at worst shortens one
   * back-off.
   */
  async catchUp(db: Db): Promise<void> {
    const { rows } = await latestDue(db)
    const latestMs = rows[0]?.due_at ?? 0
    if (latestMs > this.now() + longestBackoffMs) this.#set(latestMs, this.#clock.monotonicMs())
  }

  #set(atMs: number, elapsedMs: number): void {
    this.#atMs = atMs
    this.#sinceMs = elapsedMs
  }
}

/** The end of each queue, found by its key without reading the rest. */
const latestDue = (db: Db) =>
  sql<{ due_at: number | null }>`
    select max((
      select q.due_at from queue q where q.route_key = t.route_key and q.account_id = t.account_id and q.priority = p.priority
      order by q.due_at desc limit 1
    )) as due_at
    from queue_totals t cross join (select 0 as priority union all select 1 union all select 2) p`.execute(db)
