import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { challengeLifeMs } from './passkey-challenge.ts'
import type { PasskeyPlace } from './passkey-place.ts'

/** EdDSA, ES256 and RS256 (IANA COSE Algorithms): what phones, computers and security keys have, in the order of WebAuthn Level 3, section 5.4. */
export const passkeyAlgorithms = [-8, -7, -257]

/** A passkey that is known to a browser, by which it keeps a device from making a second one. */
export interface KnownPasskey {
  credentialId: string
  transports: readonly string[]
}

/**
 * What a browser needs to make a passkey: one that it finds without being told a name, and that only its owner can use, by finger, face or PIN. No
 * word about the make of the device is asked for, which nobody here would judge.
 */
export const creationOptions = (
  place: PasskeyPlace,
  challenge: string,
  { user, known }: { user: { id: string; email: string; name: string }; known: readonly KnownPasskey[] },
): PublicKeyCredentialCreationOptionsJSON => ({
  rp: { id: place.rpId, name: 'onesixty' },
  user: { id: userHandleOf(user.id), name: user.email, displayName: user.name },
  challenge,
  pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
  timeout: challengeLifeMs,
  attestation: 'none',
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  excludeCredentials: known.map(({ credentialId, transports }) => ({
    type: 'public-key',
    id: credentialId,
    transports: [...transports],
  })),
})

/** What a browser needs to use a passkey of this place, whosever it is. */
export const requestOptions = (
  place: PasskeyPlace,
  challenge: string,
): PublicKeyCredentialRequestOptionsJSON => ({
  rpId: place.rpId,
  challenge,
  timeout: challengeLifeMs,
  userVerification: 'required',
})

/** What an authenticator knows a person by: the id, which says nothing of them (WebAuthn Level 3, section 14.6.1). */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url')
