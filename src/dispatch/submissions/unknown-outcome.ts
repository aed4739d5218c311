import type { Outcome } from '../../connectors/connector.ts'
import { readUnknownClaim } from '../../messages/outcomes/unknown-attempts.ts'
import type { Claimed } from '../../messages/queue/claim-messages.ts'
import type { Db } from '../../storage/seam/dialect.ts'

/** A submission with unknown outcome. */
export interface UnknownSubmission {
  claimed: Claimed
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

  /** Returns a submission of this device, only once. */
  take({ deviceId, attemptId }: { deviceId: string; attemptId: string }): UnknownSubmission | null {
    const submission = this.#submissions.get(attemptId)
    if (submission?.claimed.deviceId !== deviceId) return null
    this.#submissions.delete(attemptId)
    return submission
  }
}

/** Reads one that this process does not know: of an earlier one, of another node, or evicted here. */
export async function readUnknown(
  read: Db,
  { deviceId, attemptId, outcome }: { deviceId: string; attemptId: string; outcome: Outcome },
): Promise<UnknownSubmission | null> {
  const networkIds = 'networkIds' in outcome ? outcome.networkIds : []
  const claimed = await readUnknownClaim(read, { deviceId, attemptId, networkIds })
  return claimed === null ? null : { claimed, stored: Promise.resolve() }
}
