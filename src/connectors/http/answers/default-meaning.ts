import type { DeviceReason, RefusalCode } from '../declaration/declaration.ts'

/** What an answer means for a message, or for the account. */
export type Meaning =
  | { means: 'good' | 'now' | 'busy'; code: RefusalCode }
  | { means: 'device'; reason: DeviceReason }
  | { means: 'unknown' }

const rejected: Meaning = { means: 'good', code: 'network_rejected' }
const throttled: Meaning = { means: 'busy', code: 'network_congested' }

/**
 * Returns what a status means that no rule of the declaration fits. A 2xx that cannot be read is no acceptance (P7), and
 * a 5xx is no refusal: Twilio's own text says that a 500 may have sent.
 */
export function defaultMeaning(status: number): Meaning {
  switch (status) {
    case 401:
    case 403:
      return { means: 'device', reason: 'credentials_refused' }
    case 402:
      return { means: 'device', reason: 'provider_no_credit' }
    case 408:
      return { means: 'unknown' }
    case 425:
    case 429:
      return throttled
    default:
      // No redirect is followed: a secret must not reach an address that the provider, or another one, chooses. Only these two say that nothing was done (RFC 9110, sections 15.4.8 and 15.4.9).
      if (status === 307 || status === 308) return { means: 'device', reason: 'answer_not_understood' }
      return status >= 400 && status <= 499 ? rejected : { means: 'unknown' }
  }
}
