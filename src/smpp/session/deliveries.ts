import type { DeadlineTimer } from './deadline-timer.ts'
import { DeliveryResult, type SessionSpan } from './delivery-result.ts'
import { commandStatus, type Pdu, type PduOf } from '../codec/pdu.ts'
import type { SessionLimits } from './session-limits.ts'

/**
 * A message or a receipt from the peer. Its octets are views of the received data: a consumer that keeps them
 * longer than the promise must copy them.
 */
export type Delivery = PduOf<'deliver_sm' | 'data_sm'>

interface Deps {
  alarm: Pick<DeadlineTimer, 'by'>
  limits: SessionLimits
  monotonicMs(): number
  /** When data of the peer last arrived. */
  receivedMs(): number
  /** Stores a message; `fate` gets its result from then on. */
  store(delivery: Delivery, fate: DeliveryResult): Promise<void>
  answer(delivery: Delivery, status: number): void
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
  readonly #open = new Map<Delivery, { untilMs: number; fate: DeliveryResult }>()
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

  take(delivery: Delivery): void {
    // The store still works on messages that timed out: it gets no more.
    if (this.#storing >= this.#deps.limits.maxUnanswered)
      return this.#deps.answer(delivery, commandStatus.ESME_RX_T_APPN)
    const nowMs = this.#deps.monotonicMs()
    const untilMs = nowMs + this.#deps.limits.deliverTimeoutMs
    const fate = new DeliveryResult(this.#span, nowMs)
    this.#open.set(delivery, { untilMs, fate })
    this.#deps.alarm.by(untilMs)
    this.#storing++
    void this.#store(delivery, fate).then((status) => {
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

  async #store(delivery: Delivery, fate: DeliveryResult): Promise<number> {
    try {
      await this.#deps.store(delivery, fate)
      return commandStatus.ESME_ROK
    } catch {
      return commandStatus.ESME_RX_T_APPN
    }
  }

  #answer(delivery: Delivery, status: number): void {
    const fate = this.#open.get(delivery)?.fate
    if (fate === undefined) return
    this.#open.delete(delivery)
    fate.answered(status === commandStatus.ESME_ROK, this.#deps.monotonicMs())
    this.#deps.answer(delivery, status)
    this.#deps.answered()
  }
}

/** Returns the response to a delivery: accepted with ESME_ROK, or rejected temporarily. */
export function deliveryAnswer({ command, sequence }: Delivery, status: number): Pdu {
  const body = status === commandStatus.ESME_ROK ? { messageId: '', tlvs: [] } : null
  return { command: `${command}_resp`, status, sequence, body }
}
