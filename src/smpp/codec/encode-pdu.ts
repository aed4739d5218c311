import { codecOf } from './body-codecs.ts'
import { headerBytes } from './decode-pdu.ts'
import type { Pdu } from './pdu.ts'
import { type PduWriter, writeUint32 } from './pdu-writer.ts'

/** No fixed part is longer: at most 9 C-octet strings, of 5 to 65 octets, and a short message of 255. */
const maxFixedBytes = 1_024
const maxUnsuccessfulBytes = 27

/** How much room `encodePdu` may need for this PDU; never less than it writes. */
export function roomFor(pdu: Pdu): number {
  const { body } = pdu
  if (body === null) return headerBytes
  if (pdu.command === 'unknown') return headerBytes + pdu.body.length
  let bytes = maxFixedBytes
  if ('tlvs' in body) for (const { value } of body.tlvs) bytes += 4 + value.length
  if ('unsuccessful' in body) bytes += maxUnsuccessfulBytes * body.unsuccessful.length
  return bytes
}

/**
 * Writes one PDU at `sink.at`, where `roomFor(pdu)` octets must be free. Returns null, or which field does
 * not fit its place in the standard; then nothing was written.
 */
export function encodePdu(sink: PduWriter, pdu: Pdu): string | null {
  const start = sink.at
  sink.fault = null
  sink.at = start + 4
  if (pdu.command === 'unknown') {
    writeHeader(sink, pdu.commandId, pdu)
    sink.bytes.set(pdu.body, sink.at)
    sink.at += pdu.body.length
  } else {
    const codec = codecOf[pdu.command]
    writeHeader(sink, codec.id, pdu)
    if (pdu.body !== null) codec.body?.write(sink, pdu.body)
  }
  if (sink.fault === null) sink.bytes.writeUInt32BE(sink.at - start, start)
  else sink.at = start
  return sink.fault
}

function writeHeader(sink: PduWriter, commandId: number, { status, sequence }: Pdu): void {
  writeUint32(sink, commandId, 'the command id')
  writeUint32(sink, status, 'the status')
  writeUint32(sink, sequence, 'the sequence number')
}
