import type { FastifyRequest } from 'fastify'
import { appVersionOf } from './app-version.ts'
import { placeOf } from '../../process/own-address.ts'
import { compareAddress, hookAddressOf } from './called-address.ts'
import type { Registration } from './ports.ts'
import { type Call, CallRefused, type PhoneCall, type PhoneRouteDeps, type ServerTools } from './route.ts'

const emptyBody = Buffer.alloc(0)

/** Returns what a request contains, from any client. */
export function callOf(tools: Pick<ServerTools, 'addressOf'>, request: FastifyRequest): Call {
  return {
    body: Buffer.isBuffer(request.body) ? request.body : emptyBody,
    headers: request.raw.headers,
    parameters: request.params as Record<string, string>,
    address: tools.addressOf(request),
    appVersion: appVersionOf(request.raw.headers['user-agent']),
  }
}

const scheme = /^Bearer /i
const maxTokenLength = 512

/**
 * Returns the token of `Authorization: Bearer …`; null for anything else, such as the names and codes of the
 * app's own server. It may contain blanks: the app sends the private token as the user typed it. Any client
 * may call this, so it takes linear time.
 */
export const bearerOf = ({ headers: { authorization } }: Pick<Call, 'headers'>): string | null => {
  if (typeof authorization !== 'string' || !scheme.test(authorization)) return null
  if (!/^[\t\x20-\x7e]*$/.test(authorization)) return null
  const token = authorization.replace(scheme, '').trim()
  return token === '' || token.length > maxTokenLength ? null : token
}

/** Returns the call of a phone, and records the contact. */
export function callOfPhone(
  { ports, publicUrl, certificateUntilMs }: PhoneRouteDeps,
  call: Call,
  registration: Registration,
): PhoneCall {
  const phone = ports.phone(registration.deviceId)
  const [address, { host }] = [publicUrl(), call.headers]
  const connected = {
    hookAddress: hookAddressOf(address, oneOf(host)),
    called: { address: placeOf(address), how: compareAddress(address, oneOf(host)) },
    certificateUntilMs: certificateUntilMs(),
  }
  phone?.contact({ ...registration, ...connected }, call.appVersion)
  return { ...call, registration, phone, appVersion: call.appVersion ?? registration.appVersion }
}

const oneOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined

/**
 * Returns the response to an unknown credential. Only 401 makes the app register again; a network with too
 * many wrong tokens must wait.
 */
export function refusedCredential(
  tools: Pick<ServerTools, 'failedAuthentication'>,
  request: FastifyRequest,
): CallRefused {
  const retryAfterSeconds = tools.failedAuthentication(request)
  return retryAfterSeconds > 0
    ? new CallRefused(429, 'Too many wrong tokens from this address.', retryAfterSeconds)
    : new CallRefused(401, 'Unknown token.')
}
