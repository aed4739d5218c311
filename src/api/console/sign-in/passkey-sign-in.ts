import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { type PasskeyUse, usePasskey } from '../../../accounts/people/passkeys.ts'
import { type BegunSignIn, lockUser } from '../../../accounts/people/passwords.ts'
import { type Refusal, refuse } from '../../../runtime/errors.ts'
import { type CallContext, defineCall } from '../core/call.ts'
import { takeSignInAttempt } from '../core/identity-limits.ts'
import { knownBrowser } from './known-browsers.ts'
import { makeChallenge, type PasskeyFlow, readChallenge } from './passkey-challenge.ts'
import { requestOptions } from './passkey-options.ts'
import { requirePasskeyPlace } from './passkey-place.ts'
import { PasskeyFault, proveUsed, usedPasskey } from './passkey-proof.ts'
import { enter, requireSafeOrigin, type SignedIn } from './sign-in.ts'

/** Binds a response to the browser that requested the challenge. */
const browserCookie = '__Host-onesixty-passkey'

export const passkeySignInCalls = {
  /** Returns the options to use a passkey. Nothing is stored, because unknown browsers call this too. */
  'session/ask-passkey': defineCall({
    kind: 'change',
    access: 'anyone',
    input: Type.Object({}, { additionalProperties: false }),
    async handle(context): Promise<{ options: PublicKeyCredentialRequestOptionsJSON }> {
      requireSafeOrigin(context.headers)
      const place = requirePasskeyPlace(context)
      const { clock, ports } = context
      const deps = { key: ports.identity.passkeyKey, nowMs: clock.now(), randomBytes }
      return { options: requestOptions(place, makeChallenge(deps, flowOf(context) ?? newFlow(context))) }
    },
  }),
  /**
   * Signs in with a passkey, which counts as both factors: user verification by the authenticator is checked
   * here. All faults have the same code, and too many failures are refused. The sentences help the owner; to
   * an attacker they reveal only that a random ID exists, not its user.
   */
  'session/sign-in-with-passkey': defineCall({
    kind: 'change',
    access: 'anyone',
    input: usedPasskey,
    async handle(context, given): Promise<{ state: SignedIn }> {
      requireSafeOrigin(context.headers)
      const { limits } = context.ports.identity
      // Not counted by e-mail address: an attacker who guesses passwords must not block the passkey.
      const name = `passkey ${given.id}`
      const known = await knownBrowser(context, { credentialId: given.id })
      const browser = known === null ? null : `passkey ${known}`
      const attempt = takeSignInAttempt(limits, { name, address: context.address, browser })
      const begun = await verifyUse(context, given)
      attempt.succeeded()
      await enter(context, begun)
      return { state: 'signed-in' }
    },
  }),
}

/** Returns the user of the passkey. Refuses an invalid proof. */
async function verifyUse(context: CallContext, given: Parameters<typeof proveUsed>[1]): Promise<BegunSignIn> {
  const { read, writer, clock, ids, ports } = context
  const stored = await read
    .selectFrom('passkeys')
    .select(['id', 'user_id', 'credential_id', 'public_key'])
    .where('credential_id', '=', given.id)
    .executeTakeFirst()
  if (stored === undefined) throw rejected(useTexts.removed)
  const userId = stored.user_id
  const flow = flowOf(context)
  const deps = { key: ports.identity.passkeyKey, nowMs: clock.now() }
  const proven = await proveUsed(
    {
      place: requirePasskeyPlace(context),
      readChallenge: (challenge) => (flow === null ? null : readChallenge(deps, flow, challenge)),
    },
    given,
    { userId, credentialId: stored.credential_id, publicKey: stored.public_key },
  ).catch((error: unknown) => {
    if (error instanceof PasskeyFault) throw rejected(`This passkey was rejected: ${error.message}.`)
    throw error
  })
  // A refused use is stored too, so nothing is thrown within the transaction.
  const { epoch, use } = await writer.write(async (tx) => ({
    epoch: await lockUser(tx, userId),
    use: await usePasskey(tx, { ids, nowMs: clock.now() }, { passkeyId: stored.id, userId, ...proven }),
  }))
  if (epoch === null) throw rejected(useTexts.removed)
  if (use !== 'used') throw rejected(useTexts[use])
  return { userId, epoch }
}

const useTexts: Readonly<Record<Exclude<PasskeyUse, 'used'>, string>> = {
  answered_before: 'This response of the browser was already used.',
  removed: 'Unknown passkey; it may have been removed.',
  counter_went_back:
    'The use counter of this passkey did not increase: it may have been copied. Sign in with the password and remove it.',
}

const rejected = (detail: string): Refusal =>
  refuse('not_signed_in', { detail: `${detail} Try again, or sign in with your password.` })

/** Returns the flow of this browser; null before its first challenge. */
function flowOf({ headers }: CallContext): PasskeyFlow | null {
  const name = new RegExp(`(?:^|; )${browserCookie}=([\\w-]{22})(?:;|$)`).exec(
    headers.get('cookie') ?? '',
  )?.[1]
  return name === undefined ? null : `sign-in ${name}`
}

/**
 * Identifies this browser until it is closed. Tabs share the ID, so that none invalidates the challenge of
 * another.
 */
function newFlow({ setCookie }: CallContext): PasskeyFlow {
  const name = randomBytes(16).toString('base64url')
  setCookie(`${browserCookie}=${name}; Path=/; HttpOnly; Secure; SameSite=Strict`)
  return `sign-in ${name}`
}
