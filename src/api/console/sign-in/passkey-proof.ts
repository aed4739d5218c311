import { type Static, Type } from 'typebox'
import type { AnsweredChallenge } from '../../../accounts/people/passkeys.ts'
import { Refusal } from '../../../runtime/errors.ts'
import { closed } from '../../../runtime/schemas.ts'
import { passkeyAlgorithms, userHandleOf } from './passkey-options.ts'
import type { PasskeyPlace } from './passkey-place.ts'

/** Base64url. The longest value, an attestation with an RSA key, is far shorter. */
const bytes = (maxLength = 8_192) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]+$' })
/** At most 1023 bytes (WebAuthn Level 3, section 4). */
const credentialId = bytes(1_364)

/** Response of a browser that created a passkey. */
export const madePasskey = Type.Object(
  {
    id: credentialId,
    clientDataJSON: bytes(),
    attestationObject: bytes(),
    transports: Type.Array(Type.String({ pattern: '^[a-z-]{1,20}$' }), { maxItems: 10 }),
  },
  closed,
)

/** Response of a browser that used a passkey. */
export const usedPasskey = Type.Object(
  {
    id: credentialId,
    clientDataJSON: bytes(),
    authenticatorData: bytes(),
    signature: bytes(),
    userHandle: bytes(100),
  },
  closed,
)

type MadePasskey = Static<typeof madePasskey>
type UsedPasskey = Static<typeof usedPasskey>

/** Requirements on a response. `readChallenge` returns null for a challenge of another flow. */
export interface Expected {
  place: PasskeyPlace
  readChallenge(challenge: string): AnsweredChallenge | null
}

/** Why the response of an authenticator is rejected. */
export class PasskeyFault extends Error {
  override readonly name = 'PasskeyFault'
}

/** What is stored of a new passkey. */
export interface ProvenPasskey {
  credentialId: string
  publicKey: string
  counter: number
  transports: readonly string[]
  isSynced: boolean
  challenge: AnsweredChallenge
}

/**
 * Verifies that an authenticator created a passkey for this origin and challenge, after user verification
 * (WebAuthn Level 3, section 7.1). Throws a `PasskeyFault` otherwise.
 */
export async function proveMade(expected: Expected, given: MadePasskey): Promise<ProvenPasskey> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { id, clientDataJSON, attestationObject, transports } = given
  await requireNoCertificates(attestationObject)
  const { expectedChallenge, checkedChallenge } = challengeOf(expected, clientDataJSON)
  const { verified, registrationInfo } = await faultsOf(() =>
    verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge,
      expectedOrigin: expected.place.origin,
      expectedRPID: expected.place.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: passkeyAlgorithms,
    }),
  )
  if (!verified || registrationInfo === undefined) throw new PasskeyFault('its signature is wrong')
  const { credential, credentialDeviceType } = registrationInfo
  if (credential.id !== id) throw new PasskeyFault('it has two different ids')
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports,
    isSynced: credentialDeviceType === 'multiDevice',
    challenge: checkedChallenge(),
  }
}

/** A stored passkey. */
export interface StoredPasskey {
  userId: string
  credentialId: string
  publicKey: string
}

/**
 * Verifies that the owner of a stored passkey used it for this origin and challenge, after user verification
 * (WebAuthn Level 3, section 7.2). The counter has to be compared where it is stored. Throws a `PasskeyFault`
 * otherwise.
 */
export async function proveUsed(
  expected: Expected,
  given: UsedPasskey,
  stored: StoredPasskey,
): Promise<{ counter: number; challenge: AnsweredChallenge }> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { id, userHandle, ...response } = given
  if (userHandle !== userHandleOf(stored.userId)) throw new PasskeyFault('it belongs to another user')
  const { expectedChallenge, checkedChallenge } = challengeOf(expected, given.clientDataJSON)
  const { verified, authenticationInfo } = await faultsOf(() =>
    verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { ...response, userHandle },
      },
      expectedChallenge,
      expectedOrigin: expected.place.origin,
      expectedRPID: expected.place.rpId,
      requireUserVerification: true,
      credential: {
        id: stored.credentialId,
        publicKey: new Uint8Array(Buffer.from(stored.publicKey, 'base64url')),
        // Not compared here, but in the transaction that updates it.
        counter: 0,
      },
    }),
  )
  if (!verified) throw new PasskeyFault('its signature is wrong')
  return { counter: authenticationInfo.newCounter, challenge: checkedChallenge() }
}

/**
 * Refuses certificates of manufacturers, which we did not request. To check them, the library would ask other
 * servers about revocations, at URLs chosen by the sender.
 */
async function requireNoCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const object = await faultsOf(async () => {
    const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
    return { fmt: decoded.get('fmt'), x5c: decoded.get('attStmt').get('x5c') }
  })
  const isSelfAttested = object.fmt === 'none' || (object.fmt === 'packed' && object.x5c === undefined)
  if (!isSelfAttested) throw new PasskeyFault('it contains certificates that were not requested')
}

/** Returns the challenge check for the library, and access to the checked challenge. */
function challengeOf(expected: Expected, clientDataJSON: string) {
  let read: AnsweredChallenge | null = null
  return {
    expectedChallenge(challenge: string): boolean {
      const { crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as {
        crossOrigin?: unknown
      }
      if (crossOrigin === true) throw new PasskeyFault('the console was embedded in a page of another origin')
      read = expected.readChallenge(challenge)
      if (read === null)
        throw new PasskeyFault('its challenge was not issued to this browser, or has expired')
      return true
    },
    checkedChallenge(): AnsweredChallenge {
      if (read === null) throw new Error('A response was verified without its challenge.')
      return read
    },
  }
}

/**
 * Converts errors to `PasskeyFault`: the library reports faults by throwing, and so does the parsing of
 * malformed bytes.
 */
async function faultsOf<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify()
  } catch (error) {
    if (error instanceof PasskeyFault || error instanceof Refusal) throw error
    throw new PasskeyFault(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
