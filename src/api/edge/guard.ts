import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../runtime/clock.ts'
import type { Config } from '../../config.ts'
import { refuse } from '../../runtime/errors.ts'
import type { SharedCounts } from '../../runtime/shared-counts.ts'
import type { AccountLimits } from '../../sending/account-limits.ts'
import { type AuthenticateDeps, authenticate, authorizationFault } from './authenticate.ts'
import { checkAccept, checkContentType } from './media-types.ts'
import type { Operation } from './operation.ts'
import { RateLimiter } from '../../runtime/rate-limiter.ts'
import { createRemoteAddress } from './remote-address.ts'

export interface GuardDeps {
  authenticator: AuthenticateDeps['authenticator']
  clock: Pick<Clock, 'monotonicMs'>
  /** Shared counts of several nodes; omitted on a single node. */
  counts?: SharedCounts
  limits: Pick<AccountLimits, 'check'>
  config: Pick<Config, 'maxBodyBytes' | 'trustedProxies' | 'failedAuthPerMinute'>
}

type Guarded = Pick<Operation<never>, 'method' | 'scope' | 'kind'>

export interface Guard {
  /** Checks everything that needs no body, in a fixed order. Throws a `Refusal`. */
  admit(operation: Guarded, request: FastifyRequest): Promise<void>
  /**
   * Checks the key again after the body was read, because a client can take long to send it: a revoked key
   * must not be accepted.
   */
  admitAgain(operation: Guarded, request: FastifyRequest): Promise<void>
}

/** Creates the checks before each operation. */
export function createGuard(deps: GuardDeps): Guard {
  const { config, clock, counts } = deps
  const credentials: AuthenticateDeps = {
    authenticator: deps.authenticator,
    remoteAddress: createRemoteAddress(config.trustedProxies),
    failures: new RateLimiter({
      clock,
      shared: counts === undefined ? undefined : { counts, kind: 'wrong-keys' },
    }),
    failedAuthPerMinute: config.failedAuthPerMinute,
  }
  async function identify(operation: Guarded, { raw, progress }: FastifyRequest) {
    const caller = await authenticate(credentials, raw)
    progress.caller = caller
    return { caller, fault: authorizationFault(caller, operation) }
  }
  return {
    async admit(operation, request) {
      const { headers } = request.raw
      if (operation.method === 'POST') checkLength(headers, config.maxBodyBytes)
      const { caller, fault } = await identify(operation, request)
      const limited = deps.limits.check(caller, operation.kind, fault === null ? 'take' : 'peek')
      if (limited !== null) {
        request.progress.headers = limited.headers
        if (fault === null && limited.refusal !== null) throw limited.refusal
      }
      if (fault !== null) throw fault
      checkMedia(operation.method, headers)
    },
    async admitAgain(operation, request) {
      if (operation.method === 'GET') return
      const { fault } = await identify(operation, request)
      if (fault !== null) throw fault
    },
  }
}

/** Refuses an unacceptable response format, a body that is not JSON, and a body with GET. */
export function checkMedia(method: 'GET' | 'POST', headers: IncomingHttpHeaders): void {
  checkAccept(headers)
  if (method === 'POST') checkContentType(headers)
  else if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) {
    throw refuse('malformed_request', {
      detail: 'A GET request must not have a body.',
      headers: { connection: 'close' },
    })
  }
}

/** Refuses a body whose declared length is too large. */
export function checkLength(headers: IncomingHttpHeaders, maxBodyBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes)
    throw refuse('payload_too_large', { headers: { connection: 'close' } })
}
