import { type BegunSignIn, findSignIn, keepSession, lockUser } from '../../../accounts/people/passwords.ts'
import { type CodeResult, takeCode } from '../../../accounts/people/second-factor-codes.ts'
import { type Refusal, refuse } from '../../../runtime/errors.ts'
import { isLoopbackHost } from '../../../process/own-address.ts'
import { addressHeader } from '../core/auth.ts'
import type { CallContext } from '../core/call.ts'
import { takeCodeAttempt, takeSignInAttempt } from '../core/identity-limits.ts'
import { knownBrowser, rememberBrowser } from './known-browsers.ts'
import { renewPasswordHash } from './check-password.ts'

/** What became of an attempt to sign in: the person is in, or has to show the second factor. */
export type SignedIn = 'signed-in' | 'code-needed'

/**
 * Signs in with e-mail and password; the cookie of the session, always a new one, goes with the answer. Refuses in the same words
 * and after the same work whether the address is unknown or the password wrong, and after too many failures.
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
    throw refuse('not_signed_in', { detail: 'E-mail address and password do not go together.' })
  attempt.succeeded()
  if (outcome === 'signed-in') rememberBrowser(context, begun)
  // The person is in: whatever is in the way of a better hash, the next sign-in tries again.
  await renewPasswordHash(context, begun.name, given.password).catch((error: unknown) =>
    context.log.error({ request: context.requestId, err: error }, 'the hash of a password was not renewed'),
  )
  return outcome
}

/** Signs in who has just chosen a password. */
export async function signInAnew(context: CallContext, email: string, password: string): Promise<SignedIn> {
  const begun = await findSignIn(context.read, email)
  const outcome = await startSession(context, begun, password)
  if (begun === null || outcome === null) throw new Error('A password that was just stored does not fit.')
  if (outcome === 'signed-in') rememberBrowser(context, begun)
  return outcome
}

/** Takes the code of the second factor, or one of the recovery codes, of who has just given the password. */
export async function giveCode(context: CallContext, typed: string): Promise<void> {
  requireSafeOrigin(context.headers)
  const { limits } = context.ports.identity
  const code = typed.replace(/\s/g, '')
  const auth = await context.auth()
  const headers = ownHeaders(context)
  const nowMs = context.clock.now()
  // Costs nothing without the signed cookie that a right password gives.
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

/** Starts a session for who was recognised by something else than the password, in the unit that has given the epoch. */
export async function enter(context: CallContext, begun: BegunSignIn): Promise<void> {
  const auth = await context.auth()
  const headers = ownHeaders(context)
  const body = { userId: begun.userId }
  const response = await auth.api.startSession({ body, headers, asResponse: true })
  if (!response.ok) throw new Error(`No session could be started: ${response.status}.`)
  await keepOrRefuse(context, begun, response)
  rememberBrowser(context, begun)
}

/** Refuses where no browser would keep the cookie of a session: it goes over TLS, or stays on the machine. */
export function requireSafeOrigin(headers: Headers): void {
  const origin = URL.parse(headers.get('origin') ?? '')
  if (origin === null || (origin.protocol !== 'https:' && !isLoopbackHost(origin.hostname)))
    throw refuse('https_required')
}

/** The headers of a request as Better Auth is to see them. */
export function ownHeaders({ headers, address }: Pick<CallContext, 'headers' | 'address'>): Headers {
  const own = new Headers(headers)
  own.set(addressHeader, address)
  return own
}

/** Hands the cookies that Better Auth sets to the browser. */
export const keepCookies = (context: CallContext, response: Response): void => {
  for (const cookie of response.headers.getSetCookie()) context.setCookie(cookie)
}

/** Null when they do not go together. An unknown name costs the same: Better Auth hashes the password then too. */
async function startSession(
  context: CallContext,
  begun: (BegunSignIn & { name: string }) | null,
  password: string,
): Promise<SignedIn | null> {
  const auth = await context.auth()
  const response = await auth.api.signInEmail({
    body: { email: begun?.name ?? nobody, password },
    headers: ownHeaders(context),
    asResponse: true,
  })
  if (begun === null || !response.ok) return null
  return keepOrRefuse(context, begun, response)
}

/** Hands over the session that Better Auth has started, unless the way of signing in has changed since it was begun. */
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

/** A domain that nobody can have (RFC 2606 section 2). */
const nobody = 'nobody@users.invalid'

/** Codes are counted by the attempt to sign in that they belong to; its cookie is signed. */
const codeName = (headers: Headers): string =>
  /__Host-onesixty-second-factor=([^;]+)/.exec(headers.get('cookie') ?? '')?.[1] ?? ''

const codeFault = (result: CodeResult): Refusal =>
  result === 'too_many'
    ? refuse('rate_limited', {
        detail: 'There were too many wrong codes. Sign in again, in 15 minutes at the latest.',
      })
    : refuse('not_signed_in', {
        detail:
          'The code does not fit, was used before, or its time is over. Try the next one, or sign in again.',
      })
