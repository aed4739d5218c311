import type { Address } from '../codec/pdu.ts'

/** How a link writes addresses. A type of number or numbering plan of null is derived from the address. */
export interface AddressSettings {
  sourceTon: number | null
  sourceNpi: number | null
  destinationTon: number | null
  destinationNpi: number | null
  /** The sender of messages without one; empty leaves the choice to the SMSC. */
  defaultSender: string
}

/**
 * The recipient, a number in E.164: international (TON 1) by the plan of E.164 (NPI 1), without its plus sign
 * (sections 5.2.5 and 5.2.6), unless the link forces other values.
 */
export const destinationAddress = (to: string, settings: AddressSettings): Address => ({
  ton: settings.destinationTon ?? ton.international,
  npi: settings.destinationNpi ?? npi.e164,
  address: to.replace(/^\+/, ''),
})

/**
 * The sender: of the message, otherwise the default of the link, otherwise none, and the SMSC uses its own
 * (section 4.4.1). Throws a RangeError for one that `senderFault` rejects: check it first.
 */
export function sourceAddress(from: string | null, settings: AddressSettings): Address {
  const sender = from ?? settings.defaultSender
  const fault = sender === '' ? null : senderFault(sender)
  if (fault !== null) throw new RangeError(fault)
  const found = typeOf(sender)
  return {
    ton: settings.sourceTon ?? found.ton,
    npi: settings.sourceNpi ?? found.npi,
    address: sender.replace(/^\+/, ''),
  }
}

/**
 * Returns why a sender is impossible as an address of SMPP, or null. It must be a number in E.164, a short
 * code of 3 to 8 digits, or a name of 1 to 11 ASCII characters with a letter. An address is a C-octet string,
 * and that is ASCII (section 3.1): `@` is sent as 0x40, never as its GSM septet, which is 0 and would end the
 * string; a letter that ASCII lacks has no octet that every SMSC reads the same way.
 */
export function senderFault(sender: string): string | null {
  if (isNumber(sender) || isShortCode(sender)) return null
  if (sender.length > 11) return 'a name has at most 11 characters, and a number in E.164 begins with +'
  if (!/^[ -~]+$/.test(sender))
    return 'a name consists of printable ASCII characters: SMSCs read other letters differently'
  if (!/[A-Za-z]/.test(sender))
    return 'a name has a letter, a short code 3 to 8 digits, and a number in E.164 begins with +'
  return sender.trim() === sender ? null : 'a name neither begins nor ends with a blank'
}

/** Section 5.2.5. */
export const ton = { unknown: 0, international: 1, national: 2, networkSpecific: 3, subscriber: 4, alphanumeric: 5, abbreviated: 6 } as const // prettier-ignore
/** Section 5.2.6. */
const npi = { unknown: 0, e164: 1 } as const

const isNumber = (sender: string): boolean => /^\+[1-9][0-9]{6,14}$/.test(sender)
const isShortCode = (sender: string): boolean => /^[0-9]{3,8}$/.test(sender)

/** A short code belongs to its network. Names have no numbering plan. */
function typeOf(sender: string): { ton: number; npi: number } {
  if (sender === '') return { ton: ton.unknown, npi: npi.unknown }
  if (isNumber(sender)) return { ton: ton.international, npi: npi.e164 }
  return { ton: isShortCode(sender) ? ton.networkSpecific : ton.alphanumeric, npi: npi.unknown }
}
