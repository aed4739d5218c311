import type { Outcome } from '../../connectors/connector.ts'
import type { Log } from '../../process/log.ts'
import type { OpenClaim } from '../../messages/outcomes/open-claims.ts'
import { releasedClaim } from './finished-submission.ts'

interface Deps {
  log: Pick<Log, 'warn' | 'error'>
  /** Returns what is open in the database under this process; exact while it claims nothing. */
  readOpen: () => Promise<OpenClaim[]>
  /** Returns whether an attempt is in flight here, or its outcome being stored. */
  isKnown: (attemptId: string) => boolean
  /** Stores the outcome of one of the others; settles when it is stored. */
  end: (claimed: OpenClaim, outcome: Outcome) => Promise<void>
}

/**
 * Claims that are open in the database and unknown here. A claim whose commit got no response was never
 * submitted, so it is requeued. Anything else was submitted: the database was restored to a moment before its
 * outcome, which is now unknown (P6, P14).
 */
export class OrphanedClaims {
  readonly #deps: Deps
  #sinceMs: number | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A claim at this time of the wall clock has failed, but may have been committed anyway. */
  failed(nowMs: number): void {
    this.#sinceMs = Math.min(this.#sinceMs ?? nowMs, nowMs)
  }

  /** The database was restored and lost what was stored in it. */
  restored(): void {
    this.failed(Number.POSITIVE_INFINITY)
  }

  /**
   * Ends the orphaned claims; without a suspicion it reads nothing. Throws when the database cannot be read:
   * then the suspicion remains.
   */
  async resolve(): Promise<void> {
    const sinceMs = this.#sinceMs
    if (sinceMs === null) return
    const { log, readOpen, isKnown, end } = this.#deps
    const unknown = (await readOpen()).filter(({ attemptId }) => !isKnown(attemptId))
    this.#sinceMs = null
    const neverLeft = unknown.filter((claimed) => claimed.startedAt >= sinceMs && !claimed.isHeld)
    const others = unknown.filter((claimed) => !neverLeft.includes(claimed))
    if (neverLeft.length > 0)
      log.warn({ messages: neverLeft.length }, 'claims that had failed here were stored; they are requeued')
    if (others.length > 0)
      log.error(
        { messages: others.length },
        'found open attempts that were final: the database was restored, and they become unconfirmed',
      )
    await Promise.all([
      ...neverLeft.map((claimed) => end(claimed, releasedClaim)),
      ...others.map((claimed) => end({ ...claimed, onUnknown: 'stop' }, restoredBefore)),
    ])
  }

  /** The same for a caller that cannot retry: what cannot be read is left to the next start. */
  async resolveAtLast(): Promise<void> {
    await this.resolve().catch((error: unknown) =>
      this.#deps.log.error({ err: error }, 'failed to read which failed claims were stored'),
    )
  }
}

const restoredBefore: Outcome = {
  kind: 'unknown',
  networkIds: [],
  partsTaken: 0,
  detail: 'The database was restored to a moment before the outcome of the submission.',
}
