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

/** Asks the browser to create a passkey. Throws errors with messages for users. This file is loaded only on use. */
export async function makePasskey({ options }: AnswerOf<'passkeys/begin'>): Promise<MadePasskey> {
  try {
    const { id, response } = await startRegistration({ optionsJSON: options })
    const { clientDataJSON, attestationObject, transports = [] } = response
    return { id, clientDataJSON, attestationObject, transports }
  } catch (error) {
    throw toMessage(error, 'No passkey was created: it was canceled or took too long.')
  }
}

/** Asks the browser for a passkey: in a dialog, or as a suggestion in the e-mail field (`isOffer`). */
export async function usePasskey(
  { options }: AnswerOf<'session/ask-passkey'>,
  { isOffer }: { isOffer: boolean },
): Promise<UsedPasskey> {
  try {
    const { id, response } = await startAuthentication({ optionsJSON: options, useBrowserAutofill: isOffer })
    const { clientDataJSON, authenticatorData, signature, userHandle = '' } = response
    return { id, clientDataJSON, authenticatorData, signature, userHandle }
  } catch (error) {
    throw toMessage(error, 'No passkey was used: it was canceled or took too long.')
  }
}

/** Whether this browser suggests passkeys in the e-mail field. */
export const offersPasskeys = (): Promise<boolean> => browserSupportsWebAuthnAutofill()

/** Cancels the request to the browser. */
export const cancelRequest = (): void => WebAuthnAbortService.cancelCeremony()

const messages: Readonly<Partial<Record<WebAuthnError['code'], string>>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'You already have a passkey on this device.',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT:
    'This device cannot verify its user. Set a PIN, fingerprint or face unlock first, or use another device.',
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT:
    'This security key cannot store passkeys. Use another one, or a phone.',
}

function toMessage(error: unknown, otherwise: string): Error {
  const known = error instanceof WebAuthnError ? messages[error.code] : undefined
  if (known !== undefined) return new Error(known, { cause: error })
  const cause = error instanceof WebAuthnError ? error.cause : error
  const isRefused = cause instanceof Error && ['NotAllowedError', 'AbortError'].includes(cause.name)
  return isRefused || !(error instanceof Error) ? new Error(otherwise, { cause: error }) : error
}
