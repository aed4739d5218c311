import { withoutSeparators } from '../../numbers/phone-number.ts'
import { readSender } from '../../numbers/sender-number.ts'

/** The number of one of its SIMs as a phone tells it, in E.164 where that is certain: networks write it onto SIMs as they like. */
export const ownNumber = (told: string | null, country: string | null): string | null =>
  told === null ? null : readSender(told, { is: isBare(told) ? 'bare' : undefined, country })

/**
 * Android puts a plus before what the network names international (`PhoneNumberUtils.calledPartyBCDToString`, by the type of number of 3GPP TS 24.008
 * section 10.5.4.7): of other digits nobody but the phone's own network knows the country.
 */
export const isBare = (number: string): boolean => /^(?!00)\d+$/.test(withoutSeparators(number))
