/** The minimum rate for a peer, however often it throttles. */
const minPerSecond = 1
/** Nothing is sent for this long after a throttling, so that the SMSC can drain. */
const pauseMs = 1_000
/** Several refusals of one burst count once. */
const sameBurstMs = 1_000
/**
 * Growth of the rate per second: fast up to nine tenths of the rate that was throttled, slow beyond, because
 * each throttling costs a second, and faster again when there was none for half a minute.
 */
const climb = { quick: 1.5, slow: 1.01, unopposed: 1.1, quickUpTo: 0.9, unopposedAfterMs: 30_000 } as const
/** Above this the rate is meaningless. */
const boundlessPerSecond = 20_000
/** How much may be sent at once, in seconds of the rate. */
const burstSeconds = 0.1

/**
 * How many parts a link may submit: the contracted rate as a token bucket over all of its sessions, and below
 * it what the SMSC accepts. An ESME_RTHROTTLED halves the rate, which then grows back (additive increase,
 * multiplicative decrease, as in TCP). Fractional rates work: one part in 5 s is 0.2.
 */
export class Throttle {
  readonly #clock: { monotonicMs(): number }
  #contracted: number
  /** The rate that the SMSC accepts, as far as is known; Infinity if it never throttled. */
  #borne = Number.POSITIVE_INFINITY
  /** The rate that was throttled. */
  #tooMuch = Number.POSITIVE_INFINITY
  #tokens: number
  #filledMs: number
  #pausedUntilMs = Number.NEGATIVE_INFINITY
  #cutMs = Number.NEGATIVE_INFINITY
  /** Parts accepted in this second and in the one before: what the SMSC accepted when it throttles. */
  #taken = { second: 0, now: 0, before: 0 }

  constructor(clock: { monotonicMs(): number }, contractedPerSecond: number | null) {
    this.#clock = clock
    this.#contracted = contractedPerSecond ?? Number.POSITIVE_INFINITY
    this.#filledMs = clock.monotonicMs()
    this.#tokens = this.#burst
  }

  /** Parts per second, Infinity without a limit. */
  get perSecond(): number {
    return Math.min(this.#contracted, this.#borne)
  }

  get isThrottled(): boolean {
    return this.#borne < this.#contracted
  }

  /** How many parts may be sent now. */
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

  /** Records sent parts. A long message may overdraw, and the next ones wait for it. */
  spend(parts: number): void {
    this.#tokens -= parts
  }

  /** Records a part that the SMSC accepted. */
  taken(): void {
    const second = Math.floor(this.#clock.monotonicMs() / 1000)
    const { second: counted, now } = this.#taken
    if (second === counted) this.#taken.now += 1
    else this.#taken = { second, now: 1, before: second === counted + 1 ? now : 0 }
  }

  /** Applies a throttling (ESME_RTHROTTLED or another `busy` status, or a queue that stays full). */
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

  /** Sends nothing for this long: the peer asked for it. */
  rest(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.monotonicMs() + ms)
  }

  /** Applies another contract. What was not counted, while there was no limit, is not charged. */
  setContracted(perSecond: number | null): void {
    const wasBoundless = this.perSecond === Number.POSITIVE_INFINITY
    const nowMs = this.#clock.monotonicMs()
    this.#fill(nowMs)
    this.#contracted = perSecond ?? Number.POSITIVE_INFINITY
    this.#tokens = wasBoundless ? this.#burst : Math.min(this.#tokens, this.#burst)
    this.#filledMs = Math.max(nowMs, this.#filledMs)
  }

  get #burst(): number {
    // One, plus a half that is kept for the next: a fraction that is cut off between two readings of the
    // clock would be lost.
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
