import type { IncomingMessage } from 'node:http'
import type { Scope } from '../accounts/keys/api-keys.ts'
import type { Caller } from '../accounts/keys/authenticator.ts'
import { refuse, type Refusal } from '../runtime/errors.ts'
import { networkOf, type RemoteAddress } from './remote-address.ts'
import type { RateLimiter } from '../runtime/rate-limiter.ts'

export interface AuthenticateDeps<C = Caller> {
  /** Gives who a token belongs to, or null for one that may not be used. */
  authenticator: { authenticate(token: string, remoteAddress: string): Promise<C | null> }
  remoteAddress: RemoteAddress
  /** Counts failures by network. */
  failures: RateLimiter
  failedAuthPerMinute: number
  /** What a refusal says where the token is no API key. */
  says?: { missing: Words; invalid: Words }
}

/** In the place of what the catalogue says. */
interface Words {
  title: string
  detail: string
}

/**
 * Who calls, by the Bearer token of the one Authorization header (RFC 6750, RFC 9110 section 11). Too many failures from one
 * network answer 429 in the place of 401; a valid key always passes, so that nobody is locked out by a neighbour.
 */
export async function authenticate<C>(deps: AuthenticateDeps<C>, request: IncomingMessage): Promise<C> {
  const token = readBearer(request)
  const address = deps.remoteAddress(request)
  const caller = token === null ? null : await deps.authenticator.authenticate(token, address)
  if (caller !== null) return caller
  const quota = { perMinute: deps.failedAuthPerMinute, burst: deps.failedAuthPerMinute }
  const verdict = quota.perMinute === 0 ? null : deps.failures.take(networkOf(address), quota)
  if (verdict !== null && verdict.violated !== null) {
    throw refuse('rate_limited', {
      detail: `Too many failed authentications from this address; at most ${quota.perMinute} a minute are answered.`,
      violated_policies: ['failed-authentication'],
      headers: { 'retry-after': String(verdict.retryAfterSeconds) },
    })
  }
  throw token === null
    ? refuse('unauthenticated', { ...deps.says?.missing, ...challenge() })
    : refuse('invalid_token', { ...deps.says?.invalid, ...challenge('error="invalid_token"') })
}

/** Why a caller may not do this: the key lacks the scope, or the account is suspended and wants to send. Null when it may. */
export function authorizationFault(
  caller: Caller,
  { scope, kind }: { scope: Scope; kind: 'send' | 'read' },
): Refusal | null {
  if (!caller.scopes.has(scope)) {
    const detail = `The key needs the scope ${scope}.`
    return refuse('insufficient_scope', {
      detail,
      ...challenge(`error="insufficient_scope", scope="${scope}"`),
    })
  }
  return kind === 'send' && caller.accountState !== 'active' ? refuse('account_suspended') : null
}

/** The token; null when there are no credentials of a kind that we take. */
function readBearer(request: IncomingMessage): string | null {
  const header = request.headers.authorization
  if (header === undefined) return null
  if (countHeaders(request, 'authorization') > 1)
    throw badHeader('There is more than one Authorization header.')
  const [scheme = '', ...rest] = header.split(' ')
  const token = rest.join(' ').trim()
  if (scheme === '') throw badHeader('The Authorization header is empty.')
  if (scheme.toLowerCase() !== 'bearer') return null
  if (token === '') throw badHeader('The Authorization header holds no API key.')
  return token
}

/** How often a header stands in the request; `headers` holds only the first of some. `name` is in lower case. */
export function countHeaders({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] as string
    if (given.length === name.length && given.toLowerCase() === name) count += 1
  }
  return count
}

const badHeader = (detail: string): Refusal =>
  refuse('invalid_header', { detail, ...challenge('error="invalid_request"') })

export const challenge = (parameters?: string): { headers: Record<string, string> } => ({
  headers: {
    'www-authenticate': `Bearer realm="onesixty"${parameters === undefined ? '' : `, ${parameters}`}`,
  },
})
