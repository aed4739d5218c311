import { type Refusal, refuse } from './errors.ts'
import { type Quota, type RateLimiter, type Verdict, windowMs } from './rate-limiter.ts'

/** The result of a rate limit for one call. */
export interface LimitedCall {
  /** Names and values of the headers that describe the limit. */
  headers: readonly string[]
  /** Null while the call is allowed. */
  refusal: Refusal | null
}

/** A rate limit of calls, and its words. */
export interface CallLimit {
  /** Name in the headers and in `violated_policies`. */
  policy: string
  /** Name of a limit of its own for bursts; without it a burst is reported as the rate. */
  burstPolicy?: string
  quota: Quota
  /** Who is limited, at the beginning of a sentence. */
  subject: string
  /** What is limited, one and several. */
  calls: readonly [one: string, several: string]
}

/** Counts one call of `name`, or only checks it; null where the quota is no limit. */
export function limitCall(
  limiter: RateLimiter,
  name: string,
  limit: CallLimit,
  how: 'take' | 'peek',
): LimitedCall | null {
  const { policy, quota } = limit
  if (quota.perMinute === 0) return null
  const verdict = how === 'take' ? limiter.take(name, quota) : limiter.peek(name, quota)
  return {
    headers: headersOf(policy, quota, verdict),
    refusal: verdict.violated === null ? null : refusalOf(limit, verdict),
  }
}

/** Returns names and values of the headers of draft-ietf-httpapi-ratelimit-headers for one policy. */
const headersOf = (policy: string, { perMinute }: Quota, verdict: Verdict): readonly string[] => [
  'ratelimit-policy',
  `"${policy}";q=${perMinute};w=${windowMs / 1000}`,
  'ratelimit',
  `"${policy}";r=${verdict.remaining};t=${verdict.resetSeconds}`,
]

function refusalOf(
  { policy, burstPolicy, quota, subject, calls: [one, several] }: CallLimit,
  { violated, retryAfterSeconds }: Verdict,
): Refusal {
  const isBurst = violated === 'burst' && burstPolicy !== undefined
  const count = isBurst ? quota.burst : quota.perMinute
  return refuse('rate_limited', {
    detail: `${subject} is limited to ${count} ${count === 1 ? one : several} ${isBurst ? 'at once' : 'per minute'}. Wait ${retryAfterSeconds} s.`,
    violated_policies: [isBurst ? burstPolicy : policy],
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}
