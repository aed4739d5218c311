import type { DeadlineTimer } from './deadline-timer.ts'
import { AckState, type SessionSpan } from './ack-state.ts'
import { commandStatus, type Pdu, type PduOf } from '../codec/pdu.ts'
import type { SessionLimits } from './session-limits.ts'

/**
 * A message or a receipt from the peer. Its octets are views of the received data: a consumer that keeps them
 * longer than the promise must copy them.
 */
export type IncomingPdu = PduOf<'deliver_sm' | 'data_sm'>

interface Deps {
  alarm: Pick<DeadlineTimer, 'by'>
  limits: SessionLimits
  monotonicMs(): number
  /** When data of the peer last arrived. */
  receivedMs(): number
  /** Stores a message; `ackState` gets its result from then on. */
  store(delivery: IncomingPdu, ackState: AckState): Promise<void>
  answer(delivery: IncomingPdu, status: number): void
  /** One was answered: there may be room for another. */
  answered(): void
}

/**
 * Messages from the peer between their arrival and our response. The ack is sent only after the message is
 * stored. If that fails, or takes too long, the peer is asked to deliver it again later (ESME_RX_T_APPN).
 */
export class Deliveries {
  readonly #deps: Deps
  readonly #span: SessionSpan
  readonly #open = new Map<IncomingPdu, { untilMs: number; ackState: AckState }>()
  /** Calls of the store that have not ended, including those that timed out. */
  #storing = 0

  constructor(deps: Deps) {
    this.#deps = deps
    const { enquireLinkMs, enquireLinkTimeoutMs } = deps.limits
    this.#span = {
      endedMs: null,
      noticedWithinMs: enquireLinkMs + enquireLinkTimeoutMs,
      receivedMs: () => deps.receivedMs(),
    }
  }

  get size(): number {
    return this.#open.size
  }

  get isFull(): boolean {
    return this.#open.size >= this.#deps.limits.maxUnanswered
  }

  take(delivery: IncomingPdu): void {
    // The store still works on messages that timed out: it gets no more.
    if (this.#storing >= this.#deps.limits.maxUnanswered)
      return this.#deps.answer(delivery, commandStatus.ESME_RX_T_APPN)
    const nowMs = this.#deps.monotonicMs()
    const untilMs = nowMs + this.#deps.limits.deliverTimeoutMs
    const ackState = new AckState(this.#span, nowMs)
    this.#open.set(delivery, { untilMs, ackState })
    this.#deps.alarm.by(untilMs)
    this.#storing++
    void this.#store(delivery, ackState).then((status) => {
      this.#storing--
      this.#answer(delivery, status)
    })
  }

  /** Rejects those that the store has had too long, and returns the next deadline. */
  check(nowMs: number): number {
    for (const [delivery, { untilMs }] of this.#open) {
      if (untilMs > nowMs) return untilMs
      this.#answer(delivery, commandStatus.ESME_RX_T_APPN)
    }
    return Number.POSITIVE_INFINITY
  }

  /** The peer is gone: what is stored from now on gets no response, and is delivered again. */
  close(): void {
    this.#span.endedMs = this.#deps.monotonicMs()
    // The results of its messages are remembered for longer than the session, which must not be kept with
    // them: it has buffers.
    const receivedMs = this.#deps.receivedMs()
    this.#span.receivedMs = () => receivedMs
    this.#open.clear()
  }

  async #store(delivery: IncomingPdu, ackState: AckState): Promise<number> {
    try {
      await this.#deps.store(delivery, ackState)
      return commandStatus.ESME_ROK
    } catch {
      return commandStatus.ESME_RX_T_APPN
    }
  }

  #answer(delivery: IncomingPdu, status: number): void {
    const ackState = this.#open.get(delivery)?.ackState
    if (ackState === undefined) return
    this.#open.delete(delivery)
    ackState.answered(status === commandStatus.ESME_ROK, this.#deps.monotonicMs())
    this.#deps.answer(delivery, status)
    this.#deps.answered()
  }
}

/** Returns the response to a delivery: accepted with ESME_ROK, or rejected temporarily. */
export function deliveryAnswer({ command, sequence }: IncomingPdu, status: number): Pdu {
  const body = status === commandStatus.ESME_ROK ? { messageId: '', tlvs: [] } : null
  return { command: `${command}_resp`, status, sequence, body }
}
