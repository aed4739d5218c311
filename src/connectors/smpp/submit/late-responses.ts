import type { Outcome } from '../../connector.ts'
import type { LateAnswer } from '../../../smpp/session/request-outcome.ts'
import type { Session } from '../session/session.ts'
import { judgeParts, type PartOutcome } from './submit-message.ts'
import type { MessageSettings } from './submit-parts.ts'

/** A hand-over with parts of which nobody knows, part by part. */
export interface UnknownPart {
  attemptId: string
  outcomes: PartOutcome[]
  /** Its outcome was told: what becomes known from then on is to be told as well. */
  isTold: boolean
}

/** Bounds what is kept for answers that may never come: beyond it the oldest is given up. */
const maxDoubtful = 10_000

interface Expected {
  session: Session
  sequence: number
  doubtful: UnknownPart
  part: number
}

/**
 * Parts whose answer did not come in time. One that comes later in the same session may still tell what became of the message; when the
 * session is over, none can come.
 */
export class LateResponses {
  readonly #bySession = new Map<Session, Map<number, Expected>>()
  /** The oldest first. */
  readonly #all = new Set<Expected>()

  /** A part of a hand-over whose request has this number had no answer. */
  expect(session: Session, sequence: number, doubtful: UnknownPart, part: number): void {
    let open = this.#bySession.get(session)
    if (open === undefined) {
      open = new Map()
      this.#bySession.set(session, open)
      void session.ended.then(() => this.#forget(session))
    }
    this.#drop(open.get(sequence))
    const expected = { session, sequence, doubtful, part }
    open.set(sequence, expected)
    this.#all.add(expected)
    if (this.#all.size <= maxDoubtful) return
    const [oldest] = this.#all
    this.#drop(oldest)
  }

  /**
   * Puts a late answer with the others of its hand-over. Gives the hand-over and what is known of it now; null when it is still in doubt, was not asked
   * for, or is still under way and tells it itself.
   */
  take(
    session: Session,
    { sequence }: Pick<LateAnswer, 'sequence'>,
    { outcome, receipts }: { outcome: PartOutcome; receipts: MessageSettings['receipts'] },
  ): { attemptId: string; outcome: Outcome } | null {
    const found = this.#bySession.get(session)?.get(sequence)
    if (found === undefined) return null
    this.#drop(found)
    const { doubtful, part } = found
    doubtful.outcomes[part] = outcome
    if (!doubtful.isTold) return null
    const known = judgeParts(doubtful.outcomes, receipts)
    return known.kind === 'unknown' ? null : { attemptId: doubtful.attemptId, outcome: known }
  }

  #drop(expected: Expected | undefined): void {
    if (expected === undefined) return
    this.#all.delete(expected)
    this.#bySession.get(expected.session)?.delete(expected.sequence)
  }

  #forget(session: Session): void {
    for (const expected of this.#bySession.get(session)?.values() ?? []) this.#all.delete(expected)
    this.#bySession.delete(session)
  }
}
