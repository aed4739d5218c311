import type { Clock } from './clock.ts'

/**
 * A time that the database reported, and the readings of the monotonic clock before the query and after the
 * response.
 */
export interface ToldTime {
  databaseMs: number
  askedMs: number
  answeredMs: number
}

/** Bounds of the database's time at the zero of the monotonic clock. */
interface Band {
  minMs: number
  maxMs: number
}

/**
 * Responses differ by their latency. Within this span time pauses instead of stepping back. A larger step
 * means that another server's clock applies, and is followed.
 */
const maxHeldMs = 5_000

/**
 * The time that the nodes of a database agree on, without a query for each reading. It is the wall clock of
 * this machine if that fits what the database last reported, else the nearest time that does, advanced by the
 * monotonic clock. So all nodes judge validity periods, scheduled times, quiet hours and the age of keys
 * alike, regardless of their own clocks (P8). The error is at most the latency of the fastest response. Until
 * a time was reported, and where one process serves the database, it is the wall clock.
 *
 * A machine that was suspended is late until the next response, which arrives seconds after it resumed.
 */
export class AgreedClock implements Clock {
  readonly #clock: Clock
  #band: Band | null = null
  #lastMs = Number.NEGATIVE_INFINITY
  readonly monotonicMs: Clock['monotonicMs']
  readonly schedule: Clock['schedule']

  constructor(clock: Clock) {
    this.#clock = clock
    this.monotonicMs = () => clock.monotonicMs()
    this.schedule = (delayMs, task) => clock.schedule(delayMs, task)
  }

  /**
   * Narrows the bounds by this response. A response that contradicts the earlier ones replaces them: the
   * database's clock was set.
   */
  readonly hear = ({ databaseMs, askedMs, answeredMs }: ToldTime): void => {
    const reported = { minMs: databaseMs - answeredMs, maxMs: databaseMs - askedMs }
    const known = this.#band ?? reported
    const both = {
      minMs: Math.max(reported.minMs, known.minMs),
      maxMs: Math.min(reported.maxMs, known.maxMs),
    }
    this.#band = both.minMs <= both.maxMs ? both : reported
  }

  readonly now = (): number => {
    const wallMs = this.#clock.now()
    if (this.#band === null) return wallMs
    const monotonicMs = this.#clock.monotonicMs()
    const minMs = Math.floor(this.#band.minMs + monotonicMs)
    const maxMs = Math.ceil(this.#band.maxMs + monotonicMs)
    const atMs = Math.min(Math.max(wallMs, minMs), maxMs)
    if (atMs < this.#lastMs && this.#lastMs - atMs <= maxHeldMs) return this.#lastMs
    return (this.#lastMs = atMs)
  }
}
