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

/** Holds an answer to the browser that was asked. */
const browserCookie = '__Host-onesixty-passkey'

export const passkeySignInCalls = {
  /** What a browser needs to ask for a passkey. Nothing of it is stored: strangers ask too. */
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
   * Signs in by a passkey, which stands for both factors: that the authenticator has recognised its owner is proven here. Refuses by one code
   * whatever is wrong, and after too many failures; its words help the owner on, and tell whoever guesses that a random id is known, of nobody.
   */
  'session/sign-in-with-passkey': defineCall({
    kind: 'change',
    access: 'anyone',
    input: usedPasskey,
    async handle(context, given): Promise<{ state: SignedIn }> {
      requireSafeOrigin(context.headers)
      const { limits } = context.ports.identity
      // Not under the e-mail address: whoever guesses at a password must not lock the passkey out with it.
      const name = `passkey ${given.id}`
      const known = await knownBrowser(context, { credentialId: given.id })
      const browser = known === null ? null : `passkey ${known}`
      const attempt = takeSignInAttempt(limits, { name, address: context.address, browser })
      const begun = await recognise(context, given)
      attempt.succeeded()
      await enter(context, begun)
      return { state: 'signed-in' }
    },
  }),
}

/** Whose passkey was used. Refuses what proves nothing. */
async function recognise(context: CallContext, given: Parameters<typeof proveUsed>[1]): Promise<BegunSignIn> {
  const { read, writer, clock, ids, ports } = context
  const stored = await read
    .selectFrom('passkeys')
    .select(['id', 'user_id', 'credential_id', 'public_key'])
    .where('credential_id', '=', given.id)
    .executeTakeFirst()
  if (stored === undefined) throw notTaken(useWords.removed)
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
    if (error instanceof PasskeyFault) throw notTaken(`This passkey was not taken: ${error.message}.`)
    throw error
  })
  // What is refused is written down too: nothing is thrown within.
  const { epoch, use } = await writer.write(async (tx) => ({
    epoch: await lockUser(tx, userId),
    use: await usePasskey(tx, { ids, nowMs: clock.now() }, { passkeyId: stored.id, userId, ...proven }),
  }))
  if (epoch === null) throw notTaken(useWords.removed)
  if (use !== 'used') throw notTaken(useWords[use])
  return { userId, epoch }
}

const useWords: Readonly<Record<Exclude<PasskeyUse, 'used'>, string>> = {
  answered_before: 'This answer of the browser was taken before.',
  removed: 'This passkey is not known here; it may have been removed.',
  counter_went_back:
    'This passkey was used less often than before by its own count: there may be a copy of it. Sign in with the password and remove it.',
}

const notTaken = (detail: string): Refusal =>
  refuse('not_signed_in', { detail: `${detail} Try again, or sign in with your password.` })

/** The flow of this browser; null when it was not asked yet. */
function flowOf({ headers }: CallContext): PasskeyFlow | null {
  const name = new RegExp(`(?:^|; )${browserCookie}=([\\w-]{22})(?:;|$)`).exec(
    headers.get('cookie') ?? '',
  )?.[1]
  return name === undefined ? null : `sign-in ${name}`
}

/** Names this browser, until it is closed. Tabs share the name, so that none spoils the question of another. */
function newFlow({ setCookie }: CallContext): PasskeyFlow {
  const name = randomBytes(16).toString('base64url')
  setCookie(`${browserCookie}=${name}; Path=/; HttpOnly; Secure; SameSite=Strict`)
  return `sign-in ${name}`
}
