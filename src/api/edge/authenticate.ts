import { refuse, type Refusal } from '../../runtime/errors.ts'
import type { FailedAuthentications } from './failed-authentications.ts'
import type { RemoteAddress } from './remote-address.ts'
import { countHeaders, type RequestHead } from './handled-request.ts'

export interface AuthenticateDeps<Caller> {
  /** Returns the owner of a token, or null for an invalid one. */
  authenticator: { authenticate(token: string, remoteAddress: string): Promise<Caller | null> }
  remoteAddress: RemoteAddress
  failures: FailedAuthentications
  /** Texts of a refusal where the token is not an API key. */
  summary?: { missing: ProblemTexts; invalid: ProblemTexts }
}

/** Replaces title and detail of the catalogue. */
interface ProblemTexts {
  title: string
  detail: string
}

/**
 * Authenticates a request by the Bearer token of its only Authorization header (RFC 6750, RFC 9110 section
 * 11). After too many failures from one network the response is 429 instead of 401. A valid key is always
 * accepted, so that no client is locked out by another one in its network.
 */
export async function authenticate<Caller>(
  deps: AuthenticateDeps<Caller>,
  request: RequestHead,
): Promise<Caller> {
  const token = readBearer(request)
  const caller =
    token === null ? null : await deps.authenticator.authenticate(token, deps.remoteAddress(request))
  if (caller !== null) return caller
  const retryAfterSeconds = deps.failures.count(request)
  if (retryAfterSeconds > 0) {
    throw refuse('rate_limited', {
      detail: `Too many failed authentications from this address. The limit is ${deps.failures.perMinute} per minute.`,
      violated_policies: ['failed-authentication'],
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  }
  throw token === null
    ? refuse('unauthenticated', { ...deps.summary?.missing, ...challenge() })
    : refuse('invalid_token', { ...deps.summary?.invalid, ...challenge('error="invalid_token"') })
}

/** Returns the token; null without credentials of a supported scheme. */
function readBearer(request: RequestHead): string | null {
  const header = request.headers.authorization
  if (header === undefined) return null
  if (countHeaders(request, 'authorization') > 1) throw badHeader('More than one Authorization header.')
  const [scheme = '', ...rest] = header.split(' ')
  const token = rest.join(' ').trim()
  if (scheme === '') throw badHeader('The Authorization header is empty.')
  if (scheme.toLowerCase() !== 'bearer') return null
  if (token === '') throw badHeader('The Authorization header has no API key.')
  return token
}

const badHeader = (detail: string): Refusal =>
  refuse('invalid_header', { detail, ...challenge('error="invalid_request"') })

export const challenge = (parameters?: string): { headers: Record<string, string> } => ({
  headers: {
    'www-authenticate': `Bearer realm="onesixty"${parameters === undefined ? '' : `, ${parameters}`}`,
  },
})
