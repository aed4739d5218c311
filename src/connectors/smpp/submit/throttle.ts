/** The least that an SMSC is offered, however often it has said that it is too much. */
const minPerSecond = 1
/** After "too much" nothing goes for this long: it had time to drain. */
const pauseMs = 1_000
/** Several refusals of one burst are one word. */
const sameBurstMs = 1_000
/**
 * How much faster each second: quickly up to nine tenths of what was too much, slowly beyond, because each complaint costs a second, and
 * quicker again when there was none for half a minute.
 */
const climb = { quick: 1.5, slow: 1.01, unopposed: 1.1, quickUpTo: 0.9, unopposedAfterMs: 30_000 } as const
/** Above this the rate says nothing any more. */
const boundlessPerSecond = 20_000
/** How much may go at once, in seconds of the rate. */
const burstSeconds = 0.1

/**
 * How many parts a link may submit: the contracted rate as a token bucket across all of its sessions, and below it what the SMSC bears. An
 * ESME_RTHROTTLED halves the rate, which then climbs back (additive increase, multiplicative decrease, as TCP does).
 * Fractional rates work: one part in 5 s is 0.2.
 */
export class Throttle {
  readonly #clock: { monotonicMs(): number }
  #contracted: number
  /** What the SMSC bears, as far as is known; Infinity when it never complained. */
  #borne = Number.POSITIVE_INFINITY
  /** The rate that was too much. */
  #tooMuch = Number.POSITIVE_INFINITY
  #tokens: number
  #filledMs: number
  #pausedUntilMs = Number.NEGATIVE_INFINITY
  #cutMs = Number.NEGATIVE_INFINITY
  /** Parts taken in this second and in the one before: what the SMSC has borne when it says that it is too much. */
  #taken = { second: 0, now: 0, before: 0 }

  constructor(clock: { monotonicMs(): number }, contractedPerSecond: number | null) {
    this.#clock = clock
    this.#contracted = contractedPerSecond ?? Number.POSITIVE_INFINITY
    this.#filledMs = clock.monotonicMs()
    this.#tokens = this.#burst
  }

  /** Parts a second, Infinity when nothing bounds it. */
  get perSecond(): number {
    return Math.min(this.#contracted, this.#borne)
  }

  get isThrottled(): boolean {
    return this.#borne < this.#contracted
  }

  /** How many parts may go now. */
  get room(): number {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs < this.#pausedUntilMs) return 0
    if (this.perSecond === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY
    this.#fill(nowMs)
    return Math.max(0, Math.floor(this.#tokens))
  }

  /** In how many milliseconds there is room for one more. */
  get roomInMs(): number {
    const nowMs = this.#clock.monotonicMs()
    const pausedMs = Math.max(0, this.#pausedUntilMs - nowMs)
    if (this.perSecond === Number.POSITIVE_INFINITY) return pausedMs
    this.#fill(nowMs)
    return Math.max(pausedMs, Math.ceil(((1 - this.#tokens) / this.perSecond) * 1000), 0)
  }

  /** Parts go out. A long message may overdraw, and the next ones wait for it. */
  spend(parts: number): void {
    this.#tokens -= parts
  }

  /** The SMSC took a part. */
  taken(): void {
    const second = Math.floor(this.#clock.monotonicMs() / 1000)
    const { second: counted, now } = this.#taken
    if (second === counted) this.#taken.now += 1
    else this.#taken = { second, now: 1, before: second === counted + 1 ? now : 0 }
  }

  /** The SMSC says that it is too much (ESME_RTHROTTLED or what else is `busy`, or a queue that stays full). */
  tooMuch(): void {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#cutMs < sameBurstMs) return
    const borne = Math.max(this.#taken.now, this.#taken.before, minPerSecond)
    this.#fill(nowMs)
    this.#cutMs = nowMs
    this.#pausedUntilMs = nowMs + pauseMs
    this.#tooMuch = Math.min(this.perSecond, borne)
    this.#borne = Math.max(minPerSecond, this.#tooMuch / 2)
    this.#tokens = Math.min(this.#tokens, this.#burst)
    this.#filledMs = this.#pausedUntilMs
  }

  /** Another contract. What was not counted, while nothing was bounded, is not held against it. */
  setContracted(perSecond: number | null): void {
    const wasBoundless = this.perSecond === Number.POSITIVE_INFINITY
    const nowMs = this.#clock.monotonicMs()
    this.#fill(nowMs)
    this.#contracted = perSecond ?? Number.POSITIVE_INFINITY
    this.#tokens = wasBoundless ? this.#burst : Math.min(this.#tokens, this.#burst)
    this.#filledMs = Math.max(nowMs, this.#filledMs)
  }

  get #burst(): number {
    // One, and a half that is kept for the next: what is cut off between two looks at the clock would be lost.
    return Math.max(1.5, Math.min(this.perSecond, boundlessPerSecond) * burstSeconds)
  }

  #fill(nowMs: number): void {
    const seconds = (nowMs - this.#filledMs) / 1000
    if (seconds <= 0) return
    this.#filledMs = nowMs
    if (this.perSecond === Number.POSITIVE_INFINITY) {
      this.#tokens = this.#burst
      return
    }
    this.#tokens = Math.min(this.#burst, this.#tokens + seconds * this.perSecond)
    if (this.#borne === Number.POSITIVE_INFINITY) return
    const quickEnd = this.#tooMuch * climb.quickUpTo
    const slow = nowMs - this.#cutMs > climb.unopposedAfterMs ? climb.unopposed : climb.slow
    this.#borne =
      this.#borne < quickEnd
        ? Math.min(this.#borne * climb.quick ** seconds, quickEnd)
        : this.#borne * slow ** seconds
    if (this.#borne >= Math.min(this.#contracted, boundlessPerSecond)) this.#borne = Number.POSITIVE_INFINITY
  }
}
