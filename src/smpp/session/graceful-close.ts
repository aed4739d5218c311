/** The end of a session that lets open requests finish: what to do then, once, and by when at the latest. */
export class GracefulClose {
  #leave: (() => void) | null = null
  #untilMs = Number.POSITIVE_INFINITY

  /** Infinity while no close is pending. */
  get untilMs(): number {
    return this.#untilMs
  }

  begin(leave: () => void, untilMs: number): void {
    this.#leave = leave
    this.#untilMs = untilMs
  }

  /** Closes now, because nothing is open any more. Does nothing while no close is pending. */
  now(): void {
    const leave = this.#leave
    this.cancel()
    leave?.()
  }

  /** Closes when the time is over, regardless of what is open. */
  check(nowMs: number): void {
    if (nowMs >= this.#untilMs) this.now()
  }

  cancel(): void {
    this.#leave = null
    this.#untilMs = Number.POSITIVE_INFINITY
  }
}
