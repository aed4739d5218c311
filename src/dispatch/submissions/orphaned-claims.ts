import type { Outcome } from '../../connectors/connector.ts'
import type { Log } from '../../process/log.ts'
import type { OpenClaim } from '../../messages/outcomes/open-attempts.ts'
import { givenBack } from './finished-submission.ts'

interface Deps {
  log: Pick<Log, 'warn' | 'error'>
  /** What stands open in the database under this process; exact while it claims nothing. */
  readOpen: () => Promise<OpenClaim[]>
  /** Whether an attempt is being handed over here, or its end being stored. */
  isKnown: (attemptId: string) => boolean
  /** Stores the end of one of the others; settles when that is stored. */
  end: (claimed: OpenClaim, outcome: Outcome) => Promise<void>
}

/**
 * What stands open in the database and nobody here knows of. What a claim took whose commit nobody answered for has never left, so that it waits again.
 * Anything else was handed over: the database has been put back to a moment before its end, and nobody knows any more what became of it (P6, P14).
 */
export class OrphanedClaims {
  readonly #deps: Deps
  #sinceMs: number | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A claim at this time of the wall clock has failed, and may have been committed all the same. */
  failed(nowMs: number): void {
    this.#sinceMs = Math.min(this.#sinceMs ?? nowMs, nowMs)
  }

  /** The database has forgotten what it was told. */
  forgotten(): void {
    this.failed(Number.POSITIVE_INFINITY)
  }

  /** Ends what nobody knows of; without a doubt it asks nothing. Throws when the database cannot say what is open: then the doubt stays. */
  async resolve(): Promise<void> {
    const sinceMs = this.#sinceMs
    if (sinceMs === null) return
    const { log, readOpen, isKnown, end } = this.#deps
    const unknown = (await readOpen()).filter(({ attemptId }) => !isKnown(attemptId))
    this.#sinceMs = null
    const neverLeft = unknown.filter((claimed) => claimed.startedAt >= sinceMs && !claimed.isHeld)
    const others = unknown.filter((claimed) => !neverLeft.includes(claimed))
    if (neverLeft.length > 0)
      log.warn({ messages: neverLeft.length }, 'claims were stored that had failed here; they wait again')
    if (others.length > 0)
      log.error(
        { messages: others.length },
        'hand-overs stand open that had ended: the database was put back, and they end as unconfirmed',
      )
    await Promise.all([
      ...neverLeft.map((claimed) => end(claimed, givenBack)),
      ...others.map((claimed) => end({ ...claimed, onUnknown: 'stop' }, putBack)),
    ])
  }

  /** The same for who cannot try again: what cannot be asked for is left to the next start. */
  async resolveAtLast(): Promise<void> {
    await this.resolve().catch((error: unknown) =>
      this.#deps.log.error({ err: error }, 'it could not be read which failed claims were stored'),
    )
  }
}

const putBack: Outcome = {
  kind: 'unknown',
  networkIds: [],
  partsTaken: 0,
  detail: 'The database was put back to a moment before the end of the hand-over.',
}
