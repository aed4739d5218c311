import { type BegunSignIn, findSignIn, keepSession, lockUser } from '../../../accounts/people/passwords.ts'
import { type CodeResult, takeCode } from '../../../accounts/people/second-factor-codes.ts'
import { type Refusal, refuse } from '../../../runtime/errors.ts'
import { isLoopbackHost } from '../../../process/own-address.ts'
import { addressHeader } from '../core/auth.ts'
import type { CallContext } from '../core/call.ts'
import { takeCodeAttempt, takeSignInAttempt } from '../core/identity-limits.ts'
import { knownBrowser, rememberBrowser } from './known-browsers.ts'
import { renewPasswordHash } from './check-password.ts'

/** Result of a sign-in: signed in, or a code of the second factor is required. */
export type SignedIn = 'signed-in' | 'code-needed'

/**
 * Signs in with e-mail address and password. The response sets the cookie of a new session. The refusal has
 * the same text, and takes the same time, for an unknown address and a wrong password. Too many failures are
 * refused.
 */
export async function signIn(
  context: CallContext,
  given: { email: string; password: string },
): Promise<SignedIn> {
  requireSafeOrigin(context.headers)
  const email = given.email.trim().toLowerCase()
  const { limits } = context.ports.identity
  const browser = await knownBrowser(context, { email })
  const attempt = takeSignInAttempt(limits, { name: email, address: context.address, browser })
  const begun = await findSignIn(context.read, email)
  const outcome = await startSession(context, begun, given.password)
  if (begun === null || outcome === null)
    throw refuse('not_signed_in', { detail: 'Wrong e-mail address or password.' })
  attempt.succeeded()
  if (outcome === 'signed-in') rememberBrowser(context, begun)
  // The user is signed in. If the better hash cannot be stored now, the next sign-in tries again.
  await renewPasswordHash(context, begun.name, given.password).catch((error: unknown) =>
    context.log.error({ request: context.requestId, err: error }, 'failed to renew the hash of a password'),
  )
  return outcome
}

/** Signs in a user who has just set a password. */
export async function signInWithNewPassword(
  context: CallContext,
  email: string,
  password: string,
): Promise<SignedIn> {
  const begun = await findSignIn(context.read, email)
  const outcome = await startSession(context, begun, password)
  if (begun === null || outcome === null) throw new Error('A password that was just stored was rejected.')
  if (outcome === 'signed-in') rememberBrowser(context, begun)
  return outcome
}

/** Accepts the code of the second factor, or a recovery code, after the password. */
export async function giveCode(context: CallContext, typed: string): Promise<void> {
  requireSafeOrigin(context.headers)
  const { limits } = context.ports.identity
  const code = typed.replace(/\s/g, '')
  const auth = await context.auth()
  const headers = ownHeaders(context)
  const nowMs = context.clock.now()
  // Costs nothing without the signed cookie that a correct password sets.
  const given = await auth.api.readCode({ body: { code, nowMs }, headers })
  const known = given === null ? null : await knownBrowser(context, { userId: given.userId })
  const browser = known === null ? null : `code ${known}`
  const attempt = takeCodeAttempt(limits, {
    name: codeName(context.headers),
    address: context.address,
    browser,
    userId: given?.userId ?? null,
  })
  const isKnownBrowser = browser !== null
  if (given === null) throw codeFault('ended')
  const { userId } = given
  const { epoch, result } = await context.writer.write(async (tx) => ({
    epoch: await lockUser(tx, userId),
    result: await takeCode(tx, { nowMs }, { ...given, isKnownBrowser }),
  }))
  if (epoch === null || result !== 'accepted') throw codeFault(result)
  attempt.succeeded()
  await enter(context, { userId, epoch })
}

/**
 * Starts a session for a user who was authenticated without the password, in the transaction that returned
 * the epoch.
 */
export async function enter(context: CallContext, begun: BegunSignIn): Promise<void> {
  const auth = await context.auth()
  const headers = ownHeaders(context)
  const body = { userId: begun.userId }
  const response = await auth.api.startSession({ body, headers, asResponse: true })
  if (!response.ok) throw new Error(`Failed to start a session: ${response.status}.`)
  await keepOrRefuse(context, begun, response)
  rememberBrowser(context, begun)
}

/** Refuses where no browser would keep the session cookie: it needs TLS, or the same machine. */
export function requireSafeOrigin(headers: Headers): void {
  const origin = URL.parse(headers.get('origin') ?? '')
  if (origin === null || (origin.protocol !== 'https:' && !isLoopbackHost(origin.hostname)))
    throw refuse('https_required')
}

/** Returns the headers of a request for Better Auth. */
export function ownHeaders({ headers, address }: Pick<CallContext, 'headers' | 'address'>): Headers {
  const own = new Headers(headers)
  own.set(addressHeader, address)
  return own
}

/** Passes the cookies of Better Auth to the browser. */
export const keepCookies = (context: CallContext, response: Response): void => {
  for (const cookie of response.headers.getSetCookie()) context.setCookie(cookie)
}

/**
 * Starts a session; null for a wrong e-mail address or password. An unknown address costs the same time:
 * Better Auth hashes the password then too.
 */
async function startSession(
  context: CallContext,
  begun: (BegunSignIn & { name: string }) | null,
  password: string,
): Promise<SignedIn | null> {
  const auth = await context.auth()
  const response = await auth.api.signInEmail({
    body: { email: begun?.name ?? unknownEmail, password },
    headers: ownHeaders(context),
    asResponse: true,
  })
  if (begun === null || !response.ok) return null
  return keepOrRefuse(context, begun, response)
}

/**
 * Keeps the session that Better Auth has started, unless the authentication of the user has changed since.
 */
async function keepOrRefuse(
  context: CallContext,
  { userId, epoch }: BegunSignIn,
  response: Response,
): Promise<SignedIn> {
  const { token = null, twoFactorRedirect } = (await response.json()) as {
    token?: string
    twoFactorRedirect?: boolean
  }
  const isKept = await context.writer.write((tx) => keepSession(tx, { userId, epoch, token }))
  if (!isKept) throw changedMeanwhile()
  keepCookies(context, response)
  return twoFactorRedirect === true ? 'code-needed' : 'signed-in'
}

const changedMeanwhile = (): Refusal =>
  refuse('not_signed_in', {
    detail: 'The password or the second factor was changed while you signed in. Sign in again.',
  })

/** A domain that cannot exist (RFC 2606 section 2). */
const unknownEmail = 'nobody@users.invalid'

/** Codes are counted by their sign-in attempt, whose cookie is signed. */
const codeName = (headers: Headers): string =>
  /__Host-onesixty-second-factor=([^;]+)/.exec(headers.get('cookie') ?? '')?.[1] ?? ''

const codeFault = (result: CodeResult): Refusal =>
  result === 'too_many'
    ? refuse('rate_limited', {
        detail: 'Too many wrong codes. Sign in again, at the latest in 15 minutes.',
      })
    : refuse('not_signed_in', {
        detail: 'The code is wrong, already used, or expired. Try the next code, or sign in again.',
      })
