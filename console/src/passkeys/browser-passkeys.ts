import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
} from '@simplewebauthn/browser'
import type { AnswerOf, InputOf } from '../../../src/api/console/calls.ts'

type MadePasskey = InputOf<'passkeys/add'>['made']
export type UsedPasskey = InputOf<'session/sign-in-with-passkey'>

/** Has the browser make a passkey. Throws in words for people. Only loaded where passkeys are used, as the whole file is. */
export async function makePasskey({ options }: AnswerOf<'passkeys/begin'>): Promise<MadePasskey> {
  try {
    const { id, response } = await startRegistration({ optionsJSON: options })
    const { clientDataJSON, attestationObject, transports = [] } = response
    return { id, clientDataJSON, attestationObject, transports }
  } catch (error) {
    throw inWords(error, 'No passkey was made: it was cancelled, or took too long.')
  }
}

/** Has the browser ask for a passkey: in a window of its own, or among what it offers where the address is typed. */
export async function usePasskey(
  { options }: AnswerOf<'session/ask-passkey'>,
  { isOffer }: { isOffer: boolean },
): Promise<UsedPasskey> {
  try {
    const { id, response } = await startAuthentication({ optionsJSON: options, useBrowserAutofill: isOffer })
    const { clientDataJSON, authenticatorData, signature, userHandle = '' } = response
    return { id, clientDataJSON, authenticatorData, signature, userHandle }
  } catch (error) {
    throw inWords(error, 'No passkey was used: it was cancelled, or took too long.')
  }
}

/** Whether this browser offers passkeys where the address is typed. */
export const offersPasskeys = (): Promise<boolean> => browserSupportsWebAuthnAutofill()

/** Takes back what the browser was asked. */
export const takeBack = (): void => WebAuthnAbortService.cancelCeremony()

const words: Readonly<Partial<Record<WebAuthnError['code'], string>>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device has a passkey of yours already.',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT:
    'This device does not recognise its owner. Set a PIN, a finger or a face on it first, or take another one.',
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT:
    'This security key cannot keep passkeys. Take another one, or the phone.',
}

function inWords(error: unknown, otherwise: string): Error {
  const known = error instanceof WebAuthnError ? words[error.code] : undefined
  if (known !== undefined) return new Error(known, { cause: error })
  const cause = error instanceof WebAuthnError ? error.cause : error
  const isRefused = cause instanceof Error && ['NotAllowedError', 'AbortError'].includes(cause.name)
  return isRefused || !(error instanceof Error) ? new Error(otherwise, { cause: error }) : error
}
