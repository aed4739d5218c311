import type { Clock } from './clock.ts'

/** What a database said its time was, and between which readings of the monotonic clock it said so. */
export interface ToldTime {
  databaseMs: number
  askedMs: number
  answeredMs: number
}

/** Between which times the database's is, at the zero of the monotonic clock. */
interface Band {
  minMs: number
  maxMs: number
}

/** Answers differ by how long they took: time stands still rather than step back by so little. Another server's clock is followed. */
const maxHeldMs = 5_000

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
    const told = { minMs: databaseMs - answeredMs, maxMs: databaseMs - askedMs }
    const known = this.#band ?? told
    const both = {
      minMs: Math.max(told.minMs, known.minMs),
      maxMs: Math.min(told.maxMs, known.maxMs),
    }
    this.#band = both.minMs <= both.maxMs ? both : told
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
