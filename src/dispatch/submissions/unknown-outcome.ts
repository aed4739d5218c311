import type { Claimed } from '../../messages/queue/claim-messages.ts'

/** A submission with unknown outcome. */
export interface UnknownSubmission {
  claimed: Claimed
  /** Its network IDs when the outcome was returned: receipts are expected under them. */
  networkIds: readonly string[]
  /** Settles when the unknown outcome is stored. */
  stored: Promise<unknown>
}

/**
 * Limits how many wait for a late response: an hour of a link that responds to nothing at 3 messages per
 * second, about 5 MB.
 */
const maxSubmissions = 10_000

/** Submissions with unknown outcome, as long as a late response may still arrive; the oldest are evicted. */
export class UnknownOutcome {
  readonly #submissions = new Map<string, UnknownSubmission>()

  add({ claimed, ...rest }: UnknownSubmission): void {
    // Its text is no longer needed.
    this.#submissions.set(claimed.attemptId, { ...rest, claimed: { ...claimed, text: '' } })
    if (this.#submissions.size <= maxSubmissions) return
    const [oldest] = this.#submissions.keys()
    if (oldest !== undefined) this.#submissions.delete(oldest)
  }

  /** Returns a submission, only once. */
  take(attemptId: string): UnknownSubmission | null {
    const submission = this.#submissions.get(attemptId) ?? null
    this.#submissions.delete(attemptId)
    return submission
  }
}
