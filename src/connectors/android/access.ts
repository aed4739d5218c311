import type { FastifyRequest } from 'fastify'
import { appVersionOf } from './app-version.ts'
import { isLoopbackHost } from '../../process/own-address.ts'
import type { Registration } from './ports.ts'
import { type Call, CallRefused, type PhoneCall, type PhoneRouteDeps, type ServerTools } from './route.ts'

const noBody = Buffer.alloc(0)

/** What a request holds, whoever it comes from. */
export function callOf(tools: Pick<ServerTools, 'addressOf'>, request: FastifyRequest): Call {
  return {
    body: Buffer.isBuffer(request.body) ? request.body : noBody,
    headers: request.raw.headers,
    parameters: request.params as Record<string, string>,
    address: tools.addressOf(request),
    appVersion: appVersionOf(request.raw.headers['user-agent']),
  }
}

const scheme = /^Bearer /i
const longestToken = 512

/**
 * The token of `Authorization: Bearer …`; null for anything else, such as the names and codes of the app's own server. It may have blanks: the app
 * sends the private token as a person has typed it. Anybody may ask, so that it takes linear time.
 */
export const bearerOf = ({ headers: { authorization } }: Pick<Call, 'headers'>): string | null => {
  if (typeof authorization !== 'string' || !scheme.test(authorization)) return null
  if (!/^[\t\x20-\x7e]*$/.test(authorization)) return null
  const token = authorization.replace(scheme, '').trim()
  return token === '' || token.length > longestToken ? null : token
}

/** The call of a phone, from which it counts as heard. */
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
 * Whether a phone is told an address of its own machine for what it receives, as it is where `ONESIXTY_PUBLIC_URL` is not set, while it reaches this
 * service by another one. One that comes by a loopback name is led here by a cable (`adb reverse`).
 */
function isDeaf(publicUrl: string, { headers: { host } }: Pick<Call, 'headers'>): boolean {
  const reached = typeof host === 'string' ? URL.parse(`http://${host}`) : null
  return reached !== null && isLoopbackHost(new URL(publicUrl).hostname) && !isLoopbackHost(reached.hostname)
}

/**
 * What to say to a credential that is nobody's. 401 is what makes the app register anew, and no other answer does; a network that asks
 * too much of it is told to wait.
 */
export function refusedCredential(
  tools: Pick<ServerTools, 'failedAuthentication'>,
  request: FastifyRequest,
): CallRefused {
  const retryAfterSeconds = tools.failedAuthentication(request)
  return retryAfterSeconds > 0
    ? new CallRefused(429, 'Too many wrong tokens from this address.', retryAfterSeconds)
    : new CallRefused(401, 'The token is not known.')
}
