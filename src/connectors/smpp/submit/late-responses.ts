import type { Outcome } from '../../connector.ts'
import type { LateAnswer } from '../../../smpp/session/request-outcome.ts'
import type { Session } from '../session/session.ts'
import { judgeParts } from '../../sms/part-outcomes.ts'
import type { PartOutcome } from './submit-message.ts'
import type { MessageSettings } from './submit-parts.ts'

/** A submission with unknown outcomes of parts, part by part. */
export interface UnknownPart {
  attemptId: string
  outcomes: PartOutcome[]
  /** Its outcome was reported: what becomes known later must be reported, too. */
  isReported: boolean
}

/** Limits what is kept for responses that may never arrive: beyond it the oldest is dropped. */
const maxExpected = 10_000

interface Expected {
  session: Session
  sequence: number
  unknown: UnknownPart
  part: number
}

/**
 * Parts whose response did not arrive in time. One that arrives later in the same session may still show the
 * outcome of the message; after the session none can arrive.
 */
export class LateResponses {
  readonly #bySession = new Map<Session, Map<number, Expected>>()
  /** Oldest first. */
  readonly #all = new Set<Expected>()

  /** Records a part without a response, by the sequence number of its request. */
  expect(session: Session, sequence: number, unknown: UnknownPart, part: number): void {
    let open = this.#bySession.get(session)
    if (open === undefined) {
      open = new Map()
      this.#bySession.set(session, open)
      void session.ended.then(() => this.#evict(session))
    }
    this.#drop(open.get(sequence))
    const expected = { session, sequence, unknown, part }
    open.set(sequence, expected)
    this.#all.add(expected)
    if (this.#all.size <= maxExpected) return
    const [oldest] = this.#all
    this.#drop(oldest)
  }

  /**
   * Adds a late response to the others of its submission. Returns the submission with its outcome; null if
   * that is still unknown, the response was not expected, or the submission is still in flight and reports it
   * itself.
   */
  take(
    session: Session,
    { sequence }: Pick<LateAnswer, 'sequence'>,
    { outcome, receipts }: { outcome: PartOutcome; receipts: MessageSettings['receipts'] },
  ): { attemptId: string; outcome: Outcome } | null {
    const found = this.#bySession.get(session)?.get(sequence)
    if (found === undefined) return null
    this.#drop(found)
    const { unknown, part } = found
    unknown.outcomes[part] = outcome
    if (!unknown.isReported) return null
    const known = judgeParts(unknown.outcomes, receipts)
    return known.kind === 'unknown' ? null : { attemptId: unknown.attemptId, outcome: known }
  }

  #drop(expected: Expected | undefined): void {
    if (expected === undefined) return
    this.#all.delete(expected)
    this.#bySession.get(expected.session)?.delete(expected.sequence)
  }

  #evict(session: Session): void {
    for (const expected of this.#bySession.get(session)?.values() ?? []) this.#all.delete(expected)
    this.#bySession.delete(session)
  }
}
