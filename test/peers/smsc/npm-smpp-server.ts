import { type NpmPdu, npmSmpp } from './npm-smpp.ts'

/**
 * The npm package `smpp`, 0.5.1, as the SMSC uses it. Its codec and framing are the second opinion and stay as they are, but for
 * three things, all in this process only:
 *
 * - It translates texts and times while it decodes: by the low four bits of data_coding alone, with GSM tables for ASCII and
 *   Date objects for relative times, and what does not translate is lost. The log wants the bytes, so decoding stops before that.
 * - It forgets the bytes of a PDU. They are kept, to be compared with what the package itself would have written.
 * - It drops unknown TLVs when it writes. A vendor's becomes known when it is first met.
 *
 * What is worked around by its users: a PDU that it cannot decode leaves the session deaf for ever (SmscLink ends the
 * connection), and callbacks of answers are never settled when a connection ends (SmscLink keeps its own).
 */
const bytesOfPdus = new WeakMap<NpmPdu, Buffer>()

const { fromBuffer, _filter: filter } = npmSmpp.PDU.prototype

Object.assign(npmSmpp.PDU.prototype, {
  fromBuffer(this: NpmPdu & Record<string, unknown>, bytes: Buffer): void {
    bytesOfPdus.set(this, bytes)
    fromBuffer.call(this, bytes)
    const unknownTags = Object.keys(this).filter((key) => /^\d+$/.test(key))
    if (unknownTags.length === 0) return
    for (const tag of unknownTags) {
      npmSmpp.addTLV(nameOfTag(Number(tag)), { id: Number(tag), type: npmSmpp.types.tlv.buffer })
    }
    for (const key of Object.keys(this)) delete this[key]
    fromBuffer.call(this, bytes)
  },
  _filter(this: NpmPdu, direction: 'encode' | 'decode'): void {
    if (direction === 'encode') filter.call(this, direction)
  },
})

/** A tag that the package has no name for: `0x1400`. */
const nameOfTag = (tag: number): string => `0x${tag.toString(16).padStart(4, '0')}`

/** Whether the package writes the same bytes as it has read. */
export function isExact(pdu: NpmPdu): boolean {
  try {
    return bytesOfPdus.get(pdu)?.equals(pdu.toBuffer()) ?? false
  } catch {
    return false
  }
}

/** The TLVs of a PDU by name: numbers and texts as the package reads them, everything else in hex. */
export function tlvsOf(pdu: NpmPdu): Record<string, string | number> {
  const tlvs: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(pdu)) {
    if (!(name in npmSmpp.tlvs) || name in mandatory) continue
    if (Buffer.isBuffer(value)) tlvs[name] = value.toString('hex')
    else if (Array.isArray(value)) tlvs[name] = Buffer.concat(value as Buffer[]).toString('hex')
    else tlvs[name] = value as string | number
  }
  return tlvs
}

/** Fields of a body that share their name with a TLV. */
const mandatory: Readonly<Record<string, true>> = { message_state: true }

/** JSON has no bytes: `{ "hex": "00ff" }` stands for them. */
export type PduFields = Record<string, string | number | { hex: string }>

export function readFields(fields: PduFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'object' ? Buffer.from(value.hex, 'hex') : value,
    ]),
  )
}
