import type { ConnectorEvents } from '../../connector.ts'
import { judgeParts, type RequestedReceipts } from '../../sms/part-outcomes.ts'
import type { PartOutcome } from '../submit/send-part.ts'

/** A part whose answer has not come in time, with all parts of its message. */
interface Unanswered {
  attemptId: string
  outcomes: PartOutcome[]
  part: number
  to: string
}

/**
 * The part whose answer may still come on this line: the last one, since a modem sends one at a time. Another
 * part that is sent, or another line, ends that.
 */
export class LatePart {
  readonly #events: Pick<ConnectorEvents, 'lateOutcome'>
  readonly #receipts: RequestedReceipts
  #unanswered: Unanswered | null = null

  constructor(events: Pick<ConnectorEvents, 'lateOutcome'>, receipts: RequestedReceipts) {
    this.#events = events
    this.#receipts = receipts
  }

  expect(unanswered: Unanswered): void {
    this.#unanswered = unanswered
  }

  /** Nothing can come any more. */
  forget(): void {
    this.#unanswered = null
  }

  /** The modem named a reference without being asked; it is that part's, whose ID `nameOf` gives. */
  answered(nameOf: (to: string) => string): void {
    const unanswered = this.#unanswered
    this.#unanswered = null
    if (unanswered === null) return
    const { attemptId, outcomes, part, to } = unanswered
    outcomes[part] = { kind: 'taken', messageId: nameOf(to) }
    // What cannot be stored stays unknown, until its report comes.
    this.#events.lateOutcome(attemptId, judgeParts(outcomes, this.#receipts)).catch(() => undefined)
  }
}
