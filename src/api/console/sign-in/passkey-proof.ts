import { type Static, Type } from 'typebox'
import type { AnsweredChallenge } from '../../../accounts/people/passkeys.ts'
import { Refusal } from '../../../runtime/errors.ts'
import { passkeyAlgorithms, userHandleOf } from './passkey-options.ts'
import type { PasskeyPlace } from './passkey-place.ts'

const closed = { additionalProperties: false }
/** Base64url. The longest, what an authenticator says of itself with a key of RSA, is far below. */
const bytes = (maxLength = 8_192) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]+$' })
/** At most 1023 bytes (WebAuthn Level 3, section 4). */
const credentialId = bytes(1_364)

/** What a browser gives for a passkey that it has made. */
export const madePasskey = Type.Object(
  {
    id: credentialId,
    clientDataJSON: bytes(),
    attestationObject: bytes(),
    transports: Type.Array(Type.String({ pattern: '^[a-z-]{1,20}$' }), { maxItems: 10 }),
  },
  closed,
)

/** What a browser gives for a passkey that it has used. */
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

/** What an answer must fit. `readChallenge` gives null for a challenge that is not one of this flow. */
export interface Expected {
  place: PasskeyPlace
  readChallenge(challenge: string): AnsweredChallenge | null
}

/** Why an answer of an authenticator is not taken. */
export class PasskeyFault extends Error {
  override readonly name = 'PasskeyFault'
}

/** Of a passkey that was just made, what is kept of it. */
export interface ProvenPasskey {
  credentialId: string
  publicKey: string
  counter: number
  transports: readonly string[]
  isSynced: boolean
  challenge: AnsweredChallenge
}

/**
 * Proves that an authenticator has made a passkey for this place, to this challenge, and for whom it has recognised (WebAuthn Level 3, section
 * 7.1). Throws a `PasskeyFault` otherwise.
 */
export async function proveMade(expected: Expected, given: MadePasskey): Promise<ProvenPasskey> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { id, clientDataJSON, attestationObject, transports } = given
  await requireNoCertificates(attestationObject)
  const { expectedChallenge, taken } = challengeOf(expected, clientDataJSON)
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
    challenge: taken(),
  }
}

/** A passkey as it is stored. */
export interface StoredPasskey {
  userId: string
  credentialId: string
  publicKey: string
}

/**
 * Proves that whoever has a stored passkey has used it for this place, to this challenge, and was recognised (WebAuthn Level 3, section 7.2). The
 * counter is to be compared where it is stored. Throws a `PasskeyFault` otherwise.
 */
export async function proveUsed(
  expected: Expected,
  given: UsedPasskey,
  stored: StoredPasskey,
): Promise<{ counter: number; challenge: AnsweredChallenge }> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { id, userHandle, ...response } = given
  if (userHandle !== userHandleOf(stored.userId)) throw new PasskeyFault('it is of somebody else')
  const { expectedChallenge, taken } = challengeOf(expected, given.clientDataJSON)
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
        // Of none: it is compared in the transaction that moves it on.
        counter: 0,
      },
    }),
  )
  if (!verified) throw new PasskeyFault('its signature is wrong')
  return { counter: authenticationInfo.newCounter, challenge: taken() }
}

/**
 * We ask for no certificates of makers, and take none: to look through them, the library would ask servers of others whether they were
 * revoked, at addresses that whoever sends them has written.
 */
async function requireNoCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const object = await faultsOf(async () => {
    const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
    return { fmt: decoded.get('fmt'), x5c: decoded.get('attStmt').get('x5c') }
  })
  const isOwnWord = object.fmt === 'none' || (object.fmt === 'packed' && object.x5c === undefined)
  if (!isOwnWord) throw new PasskeyFault('it came with certificates that were not asked for')
}

/** How the library is to look at a challenge, and what is kept of the one that it has looked at. */
function challengeOf(expected: Expected, clientDataJSON: string) {
  let read: AnsweredChallenge | null = null
  return {
    expectedChallenge(challenge: string): boolean {
      const { crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as {
        crossOrigin?: unknown
      }
      if (crossOrigin === true) throw new PasskeyFault('the console stood in a page of somebody else')
      read = expected.readChallenge(challenge)
      if (read === null)
        throw new PasskeyFault('it answers another question than the last one asked here, or too late')
      return true
    },
    taken(): AnsweredChallenge {
      if (read === null) throw new Error('An answer was verified without its challenge.')
      return read
    },
  }
}

/** The library says what is wrong by throwing; so does what reads bytes that mean nothing. */
async function faultsOf<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify()
  } catch (error) {
    if (error instanceof PasskeyFault || error instanceof Refusal) throw error
    throw new PasskeyFault(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
