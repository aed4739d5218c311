import type { Caller } from '../accounts/keys/authenticator.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Config } from '../config.ts'
import { type Refusal, refuse } from '../runtime/errors.ts'
import type { SharedCounts } from '../runtime/shared-counts.ts'
import { type Quota, RateLimiter, rateLimitHeaders, type Verdict } from '../runtime/rate-limiter.ts'

type LimitedCaller = Pick<Caller, 'accountId' | 'mode' | 'sendPerMinute' | 'readPerMinute'>

/** The result of a limit for one request. */
export interface Limited {
  /** Names and values of the headers that describe the limit. */
  headers: readonly string[]
  /** Null while the request is allowed. */
  refusal: Refusal | null
}

/** Rate limits of accounts for sends and reads, over all their clients and users. */
export class AccountLimits {
  readonly #config: Pick<Config, 'sendPerMinute' | 'sendBurst' | 'readPerMinute'>
  readonly #limiter: RateLimiter

  constructor(deps: {
    clock: Pick<Clock, 'monotonicMs'>
    config: Pick<Config, 'sendPerMinute' | 'sendBurst' | 'readPerMinute'>
    /** Shared by several nodes; omitted for a single node. */
    counts?: SharedCounts
  }) {
    const { clock, config, counts } = deps
    this.#config = config
    this.#limiter = new RateLimiter({
      clock,
      shared: counts === undefined ? undefined : { counts, kind: 'calls' },
    })
  }

  /** Counts one request, or only checks it; null if the account has no limit. */
  check(caller: LimitedCaller, kind: 'send' | 'read', how: 'take' | 'peek' = 'take'): Limited | null {
    const quota = this.#quotaOf(caller, kind)
    if (quota.perMinute === 0) return null
    const name = `${caller.accountId}:${caller.mode}:${kind}`
    const verdict = how === 'take' ? this.#limiter.take(name, quota) : this.#limiter.peek(name, quota)
    return {
      headers: rateLimitHeaders(kind, quota, verdict),
      refusal: verdict.violated === null ? null : rateLimited(kind, quota, verdict),
    }
  }

  /** The limit that an operator has set for the account, else the setting; 0 = no limit. */
  #quotaOf(caller: LimitedCaller, kind: 'send' | 'read'): Quota {
    const { sendPerMinute, sendBurst, readPerMinute } = this.#config
    if (kind === 'send') return { perMinute: caller.sendPerMinute ?? sendPerMinute, burst: sendBurst }
    const perMinute = caller.readPerMinute ?? readPerMinute
    return { perMinute, burst: perMinute }
  }
}

function rateLimited(kind: 'send' | 'read', quota: Quota, { violated, retryAfterSeconds }: Verdict): Refusal {
  const often = violated === 'burst' ? `${quota.burst} times in a burst` : `${quota.perMinute} times a minute`
  return refuse('rate_limited', {
    detail: `This account can ${kind} ${often}. Wait ${retryAfterSeconds} s.`,
    violated_policies: [violated === 'burst' ? `${kind}-burst` : kind],
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}
