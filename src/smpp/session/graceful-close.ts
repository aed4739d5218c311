/** The end of a session that lets what is open end first: what to do then, once, and by when at the latest. */
export class GracefulClose {
  #leave: (() => void) | null = null
  #untilMs = Number.POSITIVE_INFINITY

  /** Infinity while nobody leaves. */
  get untilMs(): number {
    return this.#untilMs
  }

  begin(leave: () => void, untilMs: number): void {
    this.#leave = leave
    this.#untilMs = untilMs
  }

  /** Nothing is open any more. Does nothing while nobody leaves. */
  now(): void {
    const leave = this.#leave
    this.cancel()
    leave?.()
  }

  /** Leaves what is still open when its time is over. */
  check(nowMs: number): void {
    if (nowMs >= this.#untilMs) this.now()
  }

  cancel(): void {
    this.#leave = null
    this.#untilMs = Number.POSITIVE_INFINITY
  }
}
