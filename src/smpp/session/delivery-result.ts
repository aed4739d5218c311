/** Peers wait this long at least for an answer before they take it for lost. */
const promptMs = 5_000

/** What the messages of one session have in common: when it was over, when it was heard last, and how late a connection may be known to be dead. */
export interface SessionSpan {
  endedMs: number | null
  readonly noticedWithinMs: number
  heardMs: () => number
}

/** What became of one message from the peer: a repeat of it is told by that from another message that says the same. */
export class DeliveryResult {
  readonly #session: SessionSpan
  readonly #arrivedMs: number
  #said: { isYes: boolean; atMs: number } | null = null

  constructor(session: SessionSpan, arrivedMs: number) {
    this.#session = session
    this.#arrivedMs = arrivedMs
  }

  get arrivedMs(): number {
    return this.#arrivedMs
  }

  answered(isYes: boolean, atMs: number): void {
    this.#said = { isYes, atMs }
  }

  /** Whether both came over one session. */
  cameBeside(other: DeliveryResult): boolean {
    return other.#session === this.#session
  }

  /**
   * Whether the peer may say it again: it had no yes in time, or its connection ended so soon behind the yes that this may never have come. Over another
   * session it may, too, while its own was not heard since the yes: that one may be dead and nobody knows yet. To whom lives and has our yes, the
   * same words are a new message.
   */
  mayComeAgain(nowMs: number, isElsewhere = false): boolean {
    const { endedMs, noticedWithinMs } = this.#session
    if (this.#said === null) return endedMs !== null || nowMs - this.#arrivedMs > promptMs
    const { isYes, atMs } = this.#said
    if (!isYes || atMs - this.#arrivedMs > promptMs) return true
    if (isElsewhere && this.#session.heardMs() <= atMs) return true
    return endedMs !== null && endedMs - atMs <= noticedWithinMs
  }
}
