import type { FastifyRequest } from 'fastify'
import { appVersionOf } from './app-version.ts'
import { isLoopbackHost } from '../../process/own-address.ts'
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
  { ports, publicUrl }: PhoneRouteDeps,
  call: Call,
  registration: Registration,
): PhoneCall {
  const phone = ports.phone(registration.deviceId)
  phone?.contact({ ...registration, isDeaf: isDeaf(publicUrl(), call) }, call.appVersion)
  return { ...call, registration, phone, appVersion: call.appVersion ?? registration.appVersion }
}

/**
 * Whether a phone gets an address of its own machine for what it receives, as without `ONESIXTY_PUBLIC_URL`,
 * while it reaches this service by another address. A phone that uses a loopback name is connected by a cable
 * (`adb reverse`).
 */
function isDeaf(publicUrl: string, { headers: { host } }: Pick<Call, 'headers'>): boolean {
  const reached = typeof host === 'string' ? URL.parse(`http://${host}`) : null
  return reached !== null && isLoopbackHost(new URL(publicUrl).hostname) && !isLoopbackHost(reached.hostname)
}

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
