import type { Clock } from './clock.ts'

/** What a database said its time was, and between which readings of the monotonic clock it said so. */
export interface ToldTime {
  databaseMs: number
  askedMs: number
  answeredMs: number
}

/** Between which times the database's is, at the zero of the monotonic clock. */
interface Band {
  leastMs: number
  mostMs: number
}

/** Answers differ by how long they took: time stands still rather than step back by so little. Another server's clock is followed. */
const mostHeldMs = 5_000

/**
 * The time that the nodes of a database agree on, without a question each time: the wall clock of this machine where that fits what the database
 * said last, else the nearest time that does, at the pace of the monotonic clock. So validities, scheduled times, quiet hours and the age of keys are judged
 * alike by all nodes, however their own clocks are set (P8); off by no more than the quickest answer took. Until something was told, and where one process serves the
 * database, it is the wall clock.
 *
 * A machine that was suspended is behind until the next answer, seconds after it went on.
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

  /** What fits this answer and those before; an answer that fits none of that is believed alone, for the database's clock was set. */
  readonly hear = ({ databaseMs, askedMs, answeredMs }: ToldTime): void => {
    const told = { leastMs: databaseMs - answeredMs, mostMs: databaseMs - askedMs }
    const known = this.#band ?? told
    const both = {
      leastMs: Math.max(told.leastMs, known.leastMs),
      mostMs: Math.min(told.mostMs, known.mostMs),
    }
    this.#band = both.leastMs <= both.mostMs ? both : told
  }

  readonly now = (): number => {
    const wallMs = this.#clock.now()
    if (this.#band === null) return wallMs
    const monotonicMs = this.#clock.monotonicMs()
    const leastMs = Math.floor(this.#band.leastMs + monotonicMs)
    const mostMs = Math.ceil(this.#band.mostMs + monotonicMs)
    const atMs = Math.min(Math.max(wallMs, leastMs), mostMs)
    if (atMs < this.#lastMs && this.#lastMs - atMs <= mostHeldMs) return this.#lastMs
    return (this.#lastMs = atMs)
  }
}
