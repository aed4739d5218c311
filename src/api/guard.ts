import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { refuse } from '../errors.ts'
import type { SharedCounts } from '../shared-counts.ts'
import type { AccountLimits } from './account-limits.ts'
import { type AuthenticateDeps, authenticate, authorizationFault } from './authenticate.ts'
import { checkAccept, checkContentType } from './media-types.ts'
import type { Operation } from './operation.ts'
import { RateLimiter } from './rate-limit.ts'
import { createRemoteAddress } from './remote-address.ts'

export interface GuardDeps {
  authenticator: AuthenticateDeps['authenticator']
  clock: Pick<Clock, 'monotonicMs'>
  /** Of several nodes; left out where one counts for itself. */
  counts?: SharedCounts
  limits: Pick<AccountLimits, 'check'>
  config: Pick<Config, 'maxBodyBytes' | 'trustedProxies' | 'failedAuthPerMinute'>
}

/** What stands before an operation: everything that is decided without its body, in the order of checks. Throws a `Refusal`. */
export type Guard = (
  operation: Pick<Operation<never>, 'method' | 'scope' | 'kind'>,
  request: FastifyRequest,
) => Promise<void>

/** Gives the check that stands before each operation. */
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
  return async (operation, { raw, progress }) => {
    const { headers } = raw
    if (operation.method === 'POST') checkLength(headers, config.maxBodyBytes)
    const caller = await authenticate(credentials, raw)
    progress.caller = caller
    const fault = authorizationFault(caller, operation)
    const limited = deps.limits.check(caller, operation.kind, fault === null ? 'take' : 'peek')
    if (limited !== null) {
      progress.headers = limited.headers
      if (fault === null && limited.refusal !== null) throw limited.refusal
    }
    if (fault !== null) throw fault
    checkMedia(operation.method, headers)
  }
}

/** Refuses what nobody would take as an answer, a body that is no JSON, and one where none belongs. */
export function checkMedia(method: 'GET' | 'POST', headers: IncomingHttpHeaders): void {
  checkAccept(headers)
  if (method === 'POST') checkContentType(headers)
  else if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) {
    throw refuse('malformed_request', {
      detail: 'A GET request has no body.',
      headers: { connection: 'close' },
    })
  }
}

/** Refuses a body that says beforehand that it is too large. */
export function checkLength(headers: IncomingHttpHeaders, maxBodyBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes)
    throw refuse('payload_too_large', { headers: { connection: 'close' } })
}
