import { BoundedMap } from './bounded-map.ts'
import type { Clock } from './clock.ts'
import { refuse } from './errors.ts'
import type { SharedCounts } from './shared-counts.ts'

/** Events of one moment: they leave the window with the last of them. */
interface Moment {
  firstMs: number
  lastMs: number
  count: number
}

interface Recent {
  total: number
  /** The oldest first. */
  moments: Moment[]
}

/**
 * Events within a thousandth of the window are one moment; once a name has `exactMoments` of them, within a
 * sixtieth. So a name has at most 121, and an event never leaves early: a wait is at most that much too long.
 */
const exactMoments = 60

/**
 * Counts events by name within a sliding window. An attempt is counted before it is made, so that parallel
 * attempts cannot pass the limit, and undone if it need not count. In memory, and exchanged between nodes
 * periodically: approximate by design (P12). Bounded: with more than `maxNames` names, the one that was counted
 * longest ago is evicted.
 */
export class SlidingCount {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #windowMs: number
  readonly #most: number
  readonly #publish: (name: string, by: number) => void
  readonly #recent: BoundedMap<Recent>

  /**
   * `most` is the limit where a call names none; 0 is no limit. With `shared`, counts of other nodes of the
   * same kind apply here too, and the other way round.
   */
  constructor(
    deps: { clock: Pick<Clock, 'monotonicMs'>; shared?: { counts: SharedCounts; kind: string } | undefined },
    { windowMs, most = 0 }: { windowMs: number; most?: number },
    maxNames = 100_000,
  ) {
    const { clock, shared } = deps
    this.#clock = clock
    this.#windowMs = windowMs
    this.#most = most
    this.#recent = new BoundedMap(maxNames)
    this.#publish = (name, by) => shared?.counts.count(shared.kind, name, by)
    shared?.counts.listen(shared.kind, (name, by) => this.#change(name, by))
  }

  /** Counts an event and returns 0; or, above the limit, counts nothing and returns the seconds to wait. */
  take(name: string, most = this.#most): number {
    const seconds = this.waitSeconds(name, most)
    if (seconds === 0 && most > 0) this.add(name)
    return seconds
  }

  /** Returns after how many seconds one more event is within the limit; 0 for now. */
  waitSeconds(name: string, most = this.#most): number {
    const nowMs = this.#clock.monotonicMs()
    const recent = this.#current(name, nowMs)
    if (most === 0 || recent === null) return 0
    let excess = recent.total + 1 - most
    if (excess <= 0) return 0
    let freeMs = nowMs
    for (const { lastMs, count } of recent.moments) {
      freeMs = lastMs + this.#windowMs
      excess -= count
      if (excess <= 0) break
    }
    return Math.ceil((freeMs - nowMs) / 1_000)
  }

  /** Counts an event, even above the limit. */
  add(name: string): void {
    this.#change(name, 1)
    this.#publish(name, 1)
  }

  /** Removes the newest event. Of two requests at the same time that may be the other one's. */
  giveBack(name: string): void {
    if (this.#current(name, this.#clock.monotonicMs()) === null) return
    this.#change(name, -1)
    this.#publish(name, -1)
  }

  /** Removes all events of a name. */
  forget(name: string): void {
    const recent = this.#current(name, this.#clock.monotonicMs())
    if (recent !== null) this.#publish(name, -recent.total)
    this.#recent.delete(name)
  }

  #change(name: string, by: number): void {
    const nowMs = this.#clock.monotonicMs()
    const recent = this.#current(name, nowMs) ?? { total: 0, moments: [] }
    if (by > 0) this.#append(recent.moments, nowMs, by)
    else removeNewest(recent.moments, -by)
    recent.total = Math.max(0, recent.total + by)
    if (recent.total === 0) this.#recent.delete(name)
    else this.#recent.set(name, recent)
  }

  #append(moments: Moment[], nowMs: number, count: number): void {
    const last = moments.at(-1)
    const joinedMs = this.#windowMs / (moments.length < exactMoments ? 1_000 : 60)
    if (last === undefined || nowMs - last.firstMs >= joinedMs)
      moments.push({ firstMs: nowMs, lastMs: nowMs, count })
    else {
      last.lastMs = nowMs
      last.count += count
    }
  }

  /** Returns the events within the window; null without any. */
  #current(name: string, nowMs: number): Recent | null {
    const recent = this.#recent.get(name)
    if (recent === undefined) return null
    const beginMs = nowMs - this.#windowMs
    const { moments } = recent
    let ended = 0
    for (let first = moments[0]; first !== undefined && first.lastMs <= beginMs; first = moments[ended]) {
      recent.total -= first.count
      ended += 1
    }
    if (ended > 0) moments.splice(0, ended)
    return moments.length === 0 ? null : recent
  }
}

function removeNewest(moments: Moment[], count: number): void {
  let left = count
  for (let last = moments.at(-1); last !== undefined && left > 0; last = moments.at(-1)) {
    const removed = Math.min(left, last.count)
    last.count -= removed
    left -= removed
    if (last.count === 0) moments.pop()
  }
}

/** Counts an attempt, or refuses with the time to wait. */
export function takeOrRefuse(limit: SlidingCount, name: string): void {
  const seconds = limit.take(name)
  if (seconds === 0) return
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  throw refuse('rate_limited', {
    detail: `Too many attempts. Try again in ${wait}.`,
    headers: { 'retry-after': String(seconds) },
  })
}
