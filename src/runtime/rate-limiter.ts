import type { Clock } from './clock.ts'
import type { SharedCounts } from './shared-counts.ts'

/** How often something may happen. A limit of 0 a minute is no limit. */
export interface Quota {
  perMinute: number
  /** How often it may happen at once. */
  burst: number
}

export interface Verdict {
  /** Which rule forbids it; null when it may happen. */
  violated: 'quota' | 'burst' | null
  /** How often it may happen until the window ends. */
  remaining: number
  resetSeconds: number
  /** When to try again; 0 when it may happen. */
  retryAfterSeconds: number
}

interface Usage {
  windowStartMs: number
  used: number
  /** The token bucket behind the burst. */
  tokens: number
  filledAtMs: number
}

const windowMs = 60_000

/**
 * Counts by name. A bucket of `burst` tokens that fills at the rate of the quota smooths the flow; a window of one minute keeps the
 * quota exact and is what clients are told of. Memory is bounded: of more than `maxNames` names the one whose window is oldest is
 * forgotten, which errs in favour of the client.
 */
export class RateLimiter {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #maxNames: number
  readonly #counted: (name: string) => void
  /** In the order in which their windows began. */
  readonly #usages = new Map<string, Usage>()

  /** With `shared`, what other nodes count under the same kind counts here too, and the other way round. */
  constructor(
    deps: { clock: Pick<Clock, 'monotonicMs'>; shared?: { counts: SharedCounts; kind: string } | undefined },
    maxNames = 100_000,
  ) {
    const { clock, shared } = deps
    this.#clock = clock
    this.#maxNames = maxNames
    this.#counted = (name) => shared?.counts.count(shared.kind, name)
    shared?.counts.listen(shared.kind, (name, count) => this.#hear(name, count))
  }

  /** Counts one, unless it is forbidden. */
  take(name: string, quota: Quota): Verdict {
    const usage = this.#usageOf(name, quota)
    const verdict = this.#judge(usage, quota)
    if (verdict.violated !== null) return verdict
    usage.used += 1
    usage.tokens -= 1
    verdict.remaining -= 1
    this.#counted(name)
    return verdict
  }

  /** Another node has counted. Its tokens are taken from here too, so that both buckets together give what one may. */
  #hear(name: string, count: number): void {
    const nowMs = this.#clock.monotonicMs()
    const known = this.#usages.get(name)
    if (known !== undefined && nowMs - known.windowStartMs < windowMs) {
      known.used += count
      known.tokens -= count
      return
    }
    this.#usages.delete(name)
    if (this.#usages.size >= this.#maxNames) this.#forgetOldest()
    // How many tokens there are is known with the quota, at the first question here: then it is full, but for these.
    this.#begin(name, { windowStartMs: nowMs, used: count, tokens: Infinity, filledAtMs: nowMs })
  }

  /** What `take` would say, without counting. */
  peek(name: string, quota: Quota): Verdict {
    return this.#judge(this.#usageOf(name, quota), quota)
  }

  #judge(usage: Usage, { perMinute }: Quota): Verdict {
    const resetMs = usage.windowStartMs + windowMs - usage.filledAtMs
    const remaining = Math.max(0, perMinute - usage.used)
    const verdict: Verdict = {
      violated: null,
      remaining,
      resetSeconds: Math.ceil(Math.min(resetMs, windowMs) / 1000),
      retryAfterSeconds: 0,
    }
    if (remaining === 0) {
      verdict.violated = 'quota'
      verdict.retryAfterSeconds = verdict.resetSeconds
    } else if (usage.tokens < 1) {
      verdict.violated = 'burst'
      verdict.retryAfterSeconds = Math.ceil(((1 - usage.tokens) * windowMs) / perMinute / 1000)
    }
    return verdict
  }

  #usageOf(name: string, quota: Quota): Usage {
    const nowMs = this.#clock.monotonicMs()
    const maxTokens = Math.min(quota.burst, quota.perMinute)
    const known = this.#usages.get(name)
    if (known === undefined) {
      if (this.#usages.size >= this.#maxNames) this.#forgetOldest()
      return this.#begin(name, { windowStartMs: nowMs, used: 0, tokens: maxTokens, filledAtMs: nowMs })
    }
    const filled = known.tokens + ((nowMs - known.filledAtMs) * quota.perMinute) / windowMs
    known.tokens = Math.min(maxTokens, filled)
    known.filledAtMs = nowMs
    if (nowMs - known.windowStartMs < windowMs) return known
    this.#usages.delete(name)
    return this.#begin(name, { ...known, windowStartMs: nowMs, used: 0 })
  }

  #begin(name: string, usage: Usage): Usage {
    this.#usages.set(name, usage)
    return usage
  }

  #forgetOldest(): void {
    for (const oldest of this.#usages.keys()) {
      this.#usages.delete(oldest)
      return
    }
  }
}

/** Names and values of the headers of draft-ietf-httpapi-ratelimit-headers for one policy. */
export const rateLimitHeaders = (
  policy: string,
  { perMinute }: Quota,
  verdict: Verdict,
): readonly string[] => [
  'ratelimit-policy',
  `"${policy}";q=${perMinute};w=${windowMs / 1000}`,
  'ratelimit',
  `"${policy}";r=${verdict.remaining};t=${verdict.resetSeconds}`,
]
