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
  /** Name in the headers and in `violated_policies`; that of its burst is `<policy>-burst`. */
  policy: string
  quota: Quota
  /** Who is limited, at the beginning of a sentence. */
  subject: string
  /** What is limited, in the plural. */
  calls: string
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
  { policy, quota, subject, calls }: CallLimit,
  { violated, retryAfterSeconds }: Verdict,
): Refusal {
  const most =
    violated === 'burst' ? `${quota.burst} ${calls} at once` : `${quota.perMinute} ${calls} per minute`
  return refuse('rate_limited', {
    detail: `${subject} is limited to ${most}. Wait ${retryAfterSeconds} s.`,
    violated_policies: [violated === 'burst' ? `${policy}-burst` : policy],
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}
