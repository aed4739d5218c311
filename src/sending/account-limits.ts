import type { Caller } from '../accounts/keys/authenticator.ts'
import type { Config } from '../config.ts'
import { limitCall, type LimitedCall } from '../runtime/call-limit.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Quota, RateLimiter } from '../runtime/rate-limiter.ts'
import type { SharedCounts } from '../runtime/shared-counts.ts'

type LimitedCaller = Pick<Caller, 'accountId' | 'mode' | 'sendPerMinute' | 'readPerMinute'>

const calls = { send: ['send', 'sends'], read: ['read', 'reads'] } as const

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
    const shared = counts === undefined ? undefined : { counts, kind: 'calls' }
    this.#limiter = new RateLimiter({ clock, shared })
  }

  /** Counts one request, or only checks it; null if the account has no limit. */
  check(caller: LimitedCaller, kind: 'send' | 'read', how: 'take' | 'peek' = 'take'): LimitedCall | null {
    const quota = this.#quotaOf(caller, kind)
    const name = `${caller.accountId}:${caller.mode}:${kind}`
    const limit = {
      policy: kind,
      burstPolicy: `${kind}-burst`,
      quota,
      subject: 'This account',
      calls: calls[kind],
    }
    return limitCall(this.#limiter, name, limit, how)
  }

  /** The limit that an operator has set for the account, else the setting; 0 = no limit. */
  #quotaOf(caller: LimitedCaller, kind: 'send' | 'read'): Quota {
    const { sendPerMinute, sendBurst, readPerMinute } = this.#config
    if (kind === 'send') return { perMinute: caller.sendPerMinute ?? sendPerMinute, burst: sendBurst }
    const perMinute = caller.readPerMinute ?? readPerMinute
    return { perMinute, burst: perMinute }
  }
}
