import type { IncomingHttpHeaders } from 'node:http'
import type { LimitedCall } from '../../runtime/call-limit.ts'
import { type Refusal, refuse } from '../../runtime/errors.ts'
import { authenticate, type AuthenticateDeps } from './authenticate.ts'
import type { Handled, LoggedCaller } from './handled-request.ts'
import { checkAccept, checkContentType } from './media-types.ts'

/** What the guard of one API asks. `Guarded` is what it needs to know of an operation. */
export interface GuardRules<Caller, Guarded> extends AuthenticateDeps<Caller> {
  maxBodyBytes: number
  /** Returns how the log names the caller. */
  logged(caller: Caller): LoggedCaller
  /** Returns why the caller is not allowed to do this; null when it is allowed. */
  fault(caller: Caller, operation: Guarded): Refusal | null
  /** Counts one request, or only checks it; null without a limit. */
  limit(caller: Caller, operation: Guarded, how: 'take' | 'peek'): LimitedCall | null
}

export interface Guard<Caller, Guarded> {
  /** Checks everything that needs no body, in a fixed order. Throws a `Refusal`. */
  admit(operation: Guarded, request: Handled): Promise<Caller>
  /**
   * Checks the token again after the body was read, because a client can take long to send it: a revoked
   * token must not be accepted. Returns the caller as it is now.
   */
  admitAgain(operation: Guarded, request: Handled): Promise<Caller>
}

/** Creates the checks before each operation of one API with tokens. */
export function createGuard<Caller, Guarded extends { method: 'GET' | 'POST' }>(
  rules: GuardRules<Caller, Guarded>,
): Guard<Caller, Guarded> {
  async function identify(operation: Guarded, { raw, progress }: Handled) {
    const caller = await authenticate(rules, raw)
    progress.caller = rules.logged(caller)
    return { caller, fault: rules.fault(caller, operation) }
  }
  return {
    async admit(operation, request) {
      const { headers } = request.raw
      if (operation.method === 'POST') checkLength(headers, rules.maxBodyBytes)
      const { caller, fault } = await identify(operation, request)
      const limited = rules.limit(caller, operation, fault === null ? 'take' : 'peek')
      if (limited !== null) {
        request.progress.headers = limited.headers
        if (fault === null && limited.refusal !== null) throw limited.refusal
      }
      if (fault !== null) throw fault
      checkMedia(operation.method, headers)
      return caller
    },
    async admitAgain(operation, request) {
      const { caller, fault } = await identify(operation, request)
      if (fault !== null) throw fault
      return caller
    },
  }
}

/** Refuses an unacceptable response format, a body that is not JSON, and a body with GET. */
function checkMedia(method: 'GET' | 'POST', headers: IncomingHttpHeaders): void {
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
function checkLength(headers: IncomingHttpHeaders, maxBodyBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes)
    throw refuse('payload_too_large', { headers: { connection: 'close' } })
}
