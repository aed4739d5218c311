import type { Clock } from './clock.ts'
import type { SharedCounts } from './shared-counts.ts'

/** A rate limit. 0 per minute is no limit. */
export interface Quota {
  perMinute: number
  /** Maximum number at the same time. */
  burst: number
}

export interface Verdict {
  /** The rule that was violated; null if the action is allowed. */
  violated: 'quota' | 'burst' | null
  /** Number of actions that are allowed until the window ends. */
  remaining: number
  resetSeconds: number
  /** Seconds until the next attempt can succeed; 0 if the action is allowed. */
  retryAfterSeconds: number
}

interface Usage {
  windowStartMs: number
  used: number
  /** Tokens left in the bucket that limits the burst. */
  tokens: number
  filledAtMs: number
}

export const windowMs = 60_000

/**
 * Limits rates by name. A bucket of `burst` tokens that fills at the rate of the quota smooths the flow; a
 * window of one minute keeps the quota exact and is what clients see. Memory is bounded: above `maxNames`
 * names, the one with the oldest window is evicted, an error in favour of the client.
 */
export class RateLimiter {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #maxNames: number
  readonly #counted: (name: string) => void
  /** Ordered by the begin of their windows. */
  readonly #usages = new Map<string, Usage>()

  /** With `shared`, counts of other nodes of the same kind apply here too, and the other way round. */
  constructor(
    deps: { clock: Pick<Clock, 'monotonicMs'>; shared?: { counts: SharedCounts; kind: string } | undefined },
    maxNames = 100_000,
  ) {
    const { clock, shared } = deps
    this.#clock = clock
    this.#maxNames = maxNames
    this.#counted = (name) => shared?.counts.count(shared.kind, name)
    shared?.counts.listen(shared.kind, (name, count) => this.#countRemote(name, count))
  }

  /** Counts one action, unless it violates the limit. */
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

  /**
   * Applies the counts of another node. Tokens are removed here too, so that both buckets together allow the
   * quota.
   */
  #countRemote(name: string, count: number): void {
    const nowMs = this.#clock.monotonicMs()
    const known = this.#usages.get(name)
    if (known !== undefined && nowMs - known.windowStartMs < windowMs) {
      known.used += count
      known.tokens -= count
      return
    }
    this.#usages.delete(name)
    if (this.#usages.size >= this.#maxNames) this.#evictOldest()
    // The bucket size is known with the quota, on the first call here: the bucket is then full, less these
    // tokens.
    this.#begin(name, { windowStartMs: nowMs, used: count, tokens: Infinity, filledAtMs: nowMs })
  }

  /** Returns what `take` would return, without counting. */
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
      if (this.#usages.size >= this.#maxNames) this.#evictOldest()
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

  #evictOldest(): void {
    for (const oldest of this.#usages.keys()) {
      this.#usages.delete(oldest)
      return
    }
  }
}
