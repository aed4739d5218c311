import type { Clock } from '../../runtime/clock.ts'
import { RateLimiter } from '../../runtime/rate-limiter.ts'
import type { SharedCounts } from '../../runtime/shared-counts.ts'
import { networkOf, type RemoteAddress } from './remote-address.ts'
import type { RequestHead } from './handled-request.ts'

export interface FailedAuthenticationsDeps {
  clock: Pick<Clock, 'monotonicMs'>
  remoteAddress: RemoteAddress
  /** Maximum per network; 0 is no limit. */
  perMinute: number
  /** Counts shared with other nodes, and their name; omitted where each node counts for itself. */
  shared?: { counts: SharedCounts; kind: string } | undefined
}

/** Limits rejected credentials per network. Valid credentials are not counted. */
export class FailedAuthentications {
  readonly #deps: FailedAuthenticationsDeps
  readonly #limiter: RateLimiter

  constructor(deps: FailedAuthenticationsDeps) {
    this.#deps = deps
    this.#limiter = new RateLimiter(deps)
  }

  get perMinute(): number {
    return this.#deps.perMinute
  }

  /** Counts one failure. Returns the seconds until the network is allowed to try again; 0 while it is. */
  count(request: Pick<RequestHead, 'headers' | 'socket'>): number {
    const { perMinute, remoteAddress } = this.#deps
    if (perMinute === 0) return 0
    const quota = { perMinute, burst: perMinute }
    const verdict = this.#limiter.take(networkOf(remoteAddress(request)), quota)
    return verdict.violated === null ? 0 : Math.max(1, verdict.retryAfterSeconds)
  }
}
