import { type Address, type Tlv, tlvTags } from './pdu.ts'

/**
 * A position in the body of one PDU. Reading past the end, or what cannot be parsed, sets `fault` and returns
 * zero or nothing, so that a body is parsed in one straight line and checked at its end. The first fault
 * stays.
 */
export interface Cursor {
  readonly bytes: Buffer
  at: number
  /** The first octet of the next PDU. */
  readonly end: number
  fault: string | null
  /** What is wrong after the mandatory part: it invalidates nothing that was parsed. */
  rest: string | null
}

const noOctets = Buffer.alloc(0)
const noTlvs: readonly Tlv[] = Object.freeze([])

/** Records a fault and moves to the end: nothing after a fault has a meaning. */
function failAt(cursor: Cursor, fault: string): void {
  cursor.fault ??= fault
  cursor.at = cursor.end
}

export function readOctet(cursor: Cursor): number {
  if (cursor.at < cursor.end) return cursor.bytes[cursor.at++] as number
  failAt(cursor, 'the body ends inside of its fixed part')
  return 0
}

export function readUint32(cursor: Cursor): number {
  if (cursor.at + 4 > cursor.end) {
    failAt(cursor, 'the body ends inside of its fixed part')
    return 0
  }
  const value = cursor.bytes.readUInt32BE(cursor.at)
  cursor.at += 4
  return value
}

/**
 * A C-octet string (section 3.1), as Latin-1 and without its NUL. Only the PDU limits its length: peers send
 * more than the standard allows, and longer ones are harmless.
 */
export function readCString(cursor: Cursor): string {
  const nul = findNul(cursor)
  if (nul < cursor.end) return takeText(cursor, nul)
  failAt(cursor, 'a C-octet string has no end')
  return ''
}

/** The same, but the end of the PDU can replace the NUL: some SMSCs omit it after a message ID. */
export const readLastCString = (cursor: Cursor): string => takeText(cursor, findNul(cursor))

function findNul({ bytes, at, end }: Cursor): number {
  while (at < end && bytes[at] !== 0) at++
  return at
}

function takeText(cursor: Cursor, nul: number): string {
  const { bytes, at, end } = cursor
  cursor.at = Math.min(nul + 1, end)
  return nul === at ? '' : bytes.toString('latin1', at, nul)
}

/** `length` octets, as a view: they live as long as the chunk that they arrived in. */
export function readOctets(cursor: Cursor, length: number): Buffer {
  if (length === 0) return noOctets
  const { bytes, at, end } = cursor
  if (at + length > end) {
    failAt(cursor, 'the body is shorter than a length in it says')
    return noOctets
  }
  cursor.at = at + length
  return bytes.subarray(at, cursor.at)
}

export function readAddress(cursor: Cursor): Address {
  const ton = readOctet(cursor)
  const npi = readOctet(cursor)
  return { ton, npi, address: readCString(cursor) }
}

/**
 * Parses everything up to the end as TLVs, in their order, known or not, repeated or not (section 3.2.4.1).
 * Peers cut TLVs, give them wrong lengths, and end PDUs with octets that belong to none: what is complete is
 * used, and the first that is not sets `rest`. Up to three zeros at the end are ignored.
 */
export function readTlvs(cursor: Cursor): readonly Tlv[] {
  const { bytes, end } = cursor
  if (cursor.at === end) return noTlvs
  const tlvs: Tlv[] = []
  let at = cursor.at
  while (end - at >= 4) {
    const from = at + 4
    const next = from + bytes.readUInt16BE(at + 2)
    if (next > end) break
    tlvs.push({ tag: bytes.readUInt16BE(at), value: bytes.subarray(from, next) })
    at = next
  }
  if (end - at >= 4) cursor.rest ??= 'a TLV is longer than the PDU'
  else if (bytes.subarray(at, end).some((octet) => octet !== 0)) cursor.rest ??= 'a TLV is cut'
  cursor.at = end
  return tlvs
}

/**
 * The same for a message, whose text may be a TLV. Without a text or the ID of a receipt, there is no message
 * if what could not be parsed may be it.
 */
export function readTlvsOf(cursor: Cursor, shortMessage: Uint8Array): readonly Tlv[] {
  const tlvs = readTlvs(cursor)
  const mayBeLost = cursor.rest !== null && shortMessage.length === 0
  if (
    mayBeLost &&
    !tlvs.some(({ tag }) => tag === tlvTags.message_payload || tag === tlvTags.receipted_message_id)
  )
    failAt(cursor, 'the message is not whole')
  return tlvs
}
