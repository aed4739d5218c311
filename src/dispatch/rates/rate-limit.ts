export interface RateLimit {
  partsPerWindow: number
  windowSeconds: number
}

/** Counts a rate limit: N parts per window, which begins with its first part on the monotonic clock. */
export class Pace {
  readonly #limit: RateLimit
  readonly #parts: number
  readonly #windowMs: number
  #startedMs = Number.NEGATIVE_INFINITY
  #used = 0

  constructor(limit: RateLimit, past?: { used: number; startedMs: number }) {
    this.#limit = limit
    this.#parts = limit.partsPerWindow
    this.#windowMs = limit.windowSeconds * 1000
    if (past !== undefined) [this.#used, this.#startedMs] = [past.used, past.startedMs]
  }

  copy(): Pace {
    return new Pace(this.#limit, { used: this.#used, startedMs: this.#startedMs })
  }

  /** Parts that may still be sent in this window. */
  remaining(nowMs: number): number {
    return this.#over(nowMs) ? this.#parts : Math.max(0, this.#parts - this.#used)
  }

  /** Milliseconds until the window ends; 0 when none is open. */
  resetsInMs(nowMs: number): number {
    return this.#over(nowMs) ? 0 : this.#startedMs + this.#windowMs - nowMs
  }

  spend(parts: number, nowMs: number): void {
    if (this.#over(nowMs)) [this.#startedMs, this.#used] = [nowMs, 0]
    this.#used += parts
  }

  #over(nowMs: number): boolean {
    return nowMs - this.#startedMs >= this.#windowMs
  }
}
