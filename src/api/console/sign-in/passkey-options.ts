import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { challengeLifeMs } from './passkey-challenge.ts'
import type { PasskeyPlace } from './passkey-place.ts'

/**
 * EdDSA, ES256 and RS256 (IANA COSE Algorithms): supported by phones, computers and security keys, in the
 * order of WebAuthn Level 3, section 5.4.
 */
export const passkeyAlgorithms = [-8, -7, -257]

/** A known passkey, with which a browser keeps a device from creating a second one. */
export interface KnownPasskey {
  credentialId: string
  transports: readonly string[]
}

/**
 * Returns the options to create a passkey: discoverable without a user name, and usable only by its owner, by
 * finger, face or PIN. No attestation of the device model is requested, because nothing would check it.
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

/** Returns the options to use a passkey of this origin, of any user. */
export const requestOptions = (
  place: PasskeyPlace,
  challenge: string,
): PublicKeyCredentialRequestOptionsJSON => ({
  rpId: place.rpId,
  challenge,
  timeout: challengeLifeMs,
  userVerification: 'required',
})

/**
 * Returns the user handle of an authenticator: the user ID, which reveals nothing about the user (WebAuthn
 * Level 3, section 14.6.1).
 */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url')
