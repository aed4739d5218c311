/**
 * How an SMSC writes the ID of a message in its response and in its receipts
 * (docs/decisions/0010-ids-of-receipts.md).
 * - `exact`: identical, octet by octet.
 * - `hex_to_decimal`: in hexadecimal, then in decimal.
 * - `decimal_to_hex`: the other way round.
 * - `auto`: unknown; identical except for case and leading zeros, otherwise in either notation.
 */
export const idModes = ['auto', 'exact', 'hex_to_decimal', 'decimal_to_hex'] as const
export type IdMode = (typeof idModes)[number]

/**
 * An ID has 64 octets (section 5.2.23); some SMSCs send more. One that fills a whole PDU identifies nothing
 * and is not kept.
 */
export const maxIdLetters = 255

/** Returns the ID of a response in the form that receipts are matched with. */
export function submittedId(messageId: string, mode: IdMode): string {
  const id = messageId.trim()
  if (mode === 'exact') return id
  if (mode === 'hex_to_decimal') return decimalOfHex(id) ?? plain(id)
  return plain(id)
}

/** Returns the ID of a receipt in the same form, and its other readings. */
export function receiptedId(
  messageId: string,
  mode: IdMode,
): { networkId: string; alternatives?: readonly string[]; anyCase?: true } {
  const id = messageId.trim()
  if (mode === 'exact') return { networkId: id, ...(/[a-z]/i.test(id) && { anyCase: true }) }
  if (mode === 'decimal_to_hex') return { networkId: decimalOfHex(id) ?? plain(id) }
  const networkId = plain(id)
  if (mode === 'hex_to_decimal') return { networkId }
  const alternatives = [hexOfDecimal(id), decimalOfHex(id)].filter(
    (other): other is string => other !== null && other !== networkId,
  )
  return alternatives.length === 0 ? { networkId } : { networkId, alternatives }
}

/** An ID has at most 64 octets (section 5.2.23): longer ones are not treated as numbers. */
const hex = /^(?:0x)?[\da-f]{1,64}$/i
const decimal = /^\d{1,64}$/

/** IDs exceed 2^53: they are never numbers of JavaScript. */
const decimalOfHex = (id: string): string | null =>
  hex.test(id) ? BigInt(`0x${id.replace(/^0x/i, '')}`).toString() : null

const hexOfDecimal = (id: string): string | null => (decimal.test(id) ? BigInt(id).toString(16) : null)

/** Lower case, and without leading zeros if it may be a number. */
function plain(id: string): string {
  const small = id.toLowerCase()
  return hex.test(small) ? small.replace(/^(?:0x)?0*(?=.)/, '') : small
}
