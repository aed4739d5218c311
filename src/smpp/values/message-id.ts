/**
 * How an SMSC writes the id of a message in its answer and in its receipts (docs/decisions/0010-ids-of-receipts.md).
 * - `exact`: alike, octet for octet.
 * - `hex_to_decimal`: in hexadecimal, then in decimal.
 * - `decimal_to_hex`: the other way round.
 * - `auto`: not known; alike but for case and leading zeros, else in either notation.
 */
export const idModes = ['auto', 'exact', 'hex_to_decimal', 'decimal_to_hex'] as const
export type IdMode = (typeof idModes)[number]

/** An id has 64 octets (section 5.2.23); some SMSCs take more. One that fills a whole PDU names nobody, and is not kept. */
export const maxIdLetters = 255

/** The id of an answer as receipts are found by it. */
export function submittedId(messageId: string, mode: IdMode): string {
  const id = messageId.trim()
  if (mode === 'exact') return id
  if (mode === 'hex_to_decimal') return decimalOfHex(id) ?? plain(id)
  return plain(id)
}

/** The id of a receipt in the same form, and what else it may read as. */
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

/** An id has 64 octets at most (section 5.2.23): longer ones are no numbers, whatever they look like. */
const hex = /^(?:0x)?[\da-f]{1,64}$/i
const decimal = /^\d{1,64}$/

/** Ids pass 2^53: they are never numbers of JavaScript. */
const decimalOfHex = (id: string): string | null =>
  hex.test(id) ? BigInt(`0x${id.replace(/^0x/i, '')}`).toString() : null

const hexOfDecimal = (id: string): string | null => (decimal.test(id) ? BigInt(id).toString(16) : null)

/** Small letters, and no zeros in front where it may be a number. */
function plain(id: string): string {
  const small = id.toLowerCase()
  return hex.test(small) ? small.replace(/^(?:0x)?0*(?=.)/, '') : small
}
