import { withoutSeparators } from '../../numbers/phone-number.ts'
import { parseSender } from '../../numbers/sender-number.ts'

/**
 * Returns the number of a SIM as reported by the phone, in E.164 where that is certain: networks write any
 * format onto SIMs.
 */
export const ownNumber = (reported: string | null, country: string | null): string | null =>
  reported === null ? null : parseSender(reported, { is: isBare(reported) ? 'bare' : undefined, country })

/**
 * Android puts a plus before numbers that the network marks as international
 * (`PhoneNumberUtils.calledPartyBCDToString`, by the type of number of 3GPP TS 24.008 section 10.5.4.7). For
 * other digits only the phone's own network knows the country.
 */
export const isBare = (number: string): boolean => /^(?!00)\d+$/.test(withoutSeparators(number))
