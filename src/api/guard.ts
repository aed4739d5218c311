import type { FastifyRequest } from 'fastify'
import type { Caller } from '../accounts/authenticator.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { type Refusal, refuse } from '../errors.ts'
import { type AuthenticateDeps, authenticate, authorizationFault } from './authenticate.ts'
import { checkAccept, checkContentType } from './media-types.ts'
import type { Operation } from './operation.ts'
import { type Quota, RateLimiter, rateLimitHeaders, type Verdict } from './rate-limit.ts'
import { createRemoteAddress } from './remote-address.ts'

export interface GuardDeps {
  authenticator: AuthenticateDeps['authenticator']
  clock: Pick<Clock, 'monotonicMs'>
  config: Pick<
    Config,
    | 'maxBodyBytes'
    | 'trustedProxies'
    | 'failedAuthPerMinute'
    | 'sendPerMinute'
    | 'sendBurst'
    | 'readPerMinute'
  >
}

/** What stands before an operation: everything that is decided without its body, in the order of checks. Throws a `Refusal`. */
export type Guard = (
  operation: Pick<Operation<never>, 'method' | 'scope' | 'kind'>,
  request: FastifyRequest,
) => Promise<void>

export function createGuard(deps: GuardDeps): Guard {
  const { config, clock } = deps
  const limiter = new RateLimiter({ clock })
  const credentials: AuthenticateDeps = {
    authenticator: deps.authenticator,
    remoteAddress: createRemoteAddress(config.trustedProxies),
    failures: new RateLimiter({ clock }),
    failedAuthPerMinute: config.failedAuthPerMinute,
  }
  return async (operation, { raw, progress }) => {
    const { headers } = raw
    if (Number(headers['content-length'] ?? 0) > config.maxBodyBytes) {
      throw refuse('payload_too_large', { headers: { connection: 'close' } })
    }
    const caller = await authenticate(credentials, raw)
    progress.caller = caller
    const { kind } = operation
    const fault = authorizationFault(caller, operation)
    const quota = quotaOf(config, caller, kind)
    if (quota.perMinute > 0) {
      const name = `${caller.accountId}:${caller.mode}:${kind}`
      const verdict = fault === null ? limiter.take(name, quota) : limiter.peek(name, quota)
      progress.headers = rateLimitHeaders(kind, quota, verdict)
      if (fault === null && verdict.violated !== null) throw rateLimited(kind, quota, verdict)
    }
    if (fault !== null) throw fault
    checkAccept(headers)
    if (operation.method === 'POST') checkContentType(headers)
    else if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) {
      throw refuse('malformed_request', {
        detail: 'A GET request has no body.',
        headers: { connection: 'close' },
      })
    }
  }
}

/** What an operator has set for the account, else the setting; 0 is no limit. */
function quotaOf(config: GuardDeps['config'], caller: Caller, kind: 'send' | 'read'): Quota {
  if (kind === 'send')
    return { perMinute: caller.sendPerMinute ?? config.sendPerMinute, burst: config.sendBurst }
  const perMinute = caller.readPerMinute ?? config.readPerMinute
  return { perMinute, burst: perMinute }
}

function rateLimited(kind: 'send' | 'read', quota: Quota, { violated, retryAfterSeconds }: Verdict): Refusal {
  const often = violated === 'burst' ? `${quota.burst} times at once` : `${quota.perMinute} times a minute`
  return refuse('rate_limited', {
    detail: `This account may ${kind} ${often}; wait ${retryAfterSeconds} s.`,
    violated_policies: [violated === 'burst' ? `${kind}-burst` : kind],
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}
