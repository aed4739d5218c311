/** Peers wait at least this long for a response before they consider it lost. */
const promptMs = 5_000

/**
 * What the messages of one session have in common: when it ended, when data last arrived, and how late a dead
 * connection may be detected.
 */
export interface SessionSpan {
  endedMs: number | null
  readonly noticedWithinMs: number
  receivedMs: () => number
}

/**
 * The result of one message from the peer, which distinguishes a repeat of it from another message with the
 * same text.
 */
export class AckState {
  readonly #session: SessionSpan
  readonly #arrivedMs: number
  #response: { isAck: boolean; atMs: number } | null = null

  constructor(session: SessionSpan, arrivedMs: number) {
    this.#session = session
    this.#arrivedMs = arrivedMs
  }

  get arrivedMs(): number {
    return this.#arrivedMs
  }

  answered(isAck: boolean, atMs: number): void {
    this.#response = { isAck, atMs }
  }

  /** Returns whether both arrived over the same session. */
  isOfSameSession(other: AckState): boolean {
    return other.#session === this.#session
  }

  /**
   * Returns whether the peer may send it again: it got no ack in time, or its connection ended so soon after
   * the ack that this may never have arrived. Over another session it may, too, while nothing arrived on its
   * own since the ack: that one may be dead without being detected yet. If the peer is alive and received our
   * ack, the same octets are a new message.
   */
  mayComeAgain(nowMs: number, isElsewhere = false): boolean {
    const { endedMs, noticedWithinMs } = this.#session
    if (this.#response === null) return endedMs !== null || nowMs - this.#arrivedMs > promptMs
    const { isAck, atMs } = this.#response
    if (!isAck || atMs - this.#arrivedMs > promptMs) return true
    if (isElsewhere && this.#session.receivedMs() <= atMs) return true
    return endedMs !== null && endedMs - atMs <= noticedWithinMs
  }
}
