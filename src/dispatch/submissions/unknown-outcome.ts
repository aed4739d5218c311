import type { Claimed } from '../../messages/queue/claim-messages.ts'

/** A hand-over whose outcome is unknown. */
export interface Doubt {
  claimed: Claimed
  /** What its network ids were when it was told: receipts are expected under them. */
  networkIds: readonly string[]
  /** Settles when the unknown outcome is stored. */
  stored: Promise<unknown>
}

/** Bounds what waits for a late word: an hour of a link that answers nothing at 3 messages a second, about 5 MB. */
const maxDoubts = 10_000

/** Hand-overs that ended `unknown`, for as long as somebody may still tell what became of them; the oldest make way. */
export class UnknownOutcome {
  readonly #doubts = new Map<string, Doubt>()

  add({ claimed, ...rest }: Doubt): void {
    // Its text has served.
    this.#doubts.set(claimed.attemptId, { ...rest, claimed: { ...claimed, text: '' } })
    if (this.#doubts.size <= maxDoubts) return
    const [oldest] = this.#doubts.keys()
    if (oldest !== undefined) this.#doubts.delete(oldest)
  }

  /** Gives a hand-over once. */
  take(attemptId: string): Doubt | null {
    const doubt = this.#doubts.get(attemptId) ?? null
    this.#doubts.delete(attemptId)
    return doubt
  }
}
