import { type DeliveredSms, readDeliver } from './deliver-pdu.ts'
import { MalformedPdu, PduReader } from './pdu-reader.ts'
import { readReport, type StatusReport } from './report-pdu.ts'

/**
 * Returns the TPDU in a line that a modem announced with this length (3GPP TS 27.005, section 4.1); null for a
 * line that is another. The service centre before it is not counted.
 */
export function tpduOf(line: string, length: number): Buffer | null {
  if (!/^(?:[0-9A-F]{2})+$/i.test(line)) return null
  const octets = Buffer.from(line, 'hex')
  const centreOctets = 1 + (octets[0] ?? 0)
  return octets.length === centreOctets + length ? octets.subarray(centreOctets) : null
}

/** TP-MTI of what the network sends (3GPP TS 23.040, section 9.2.3.1); the reserved one is to be read as a message. */
const types = { report: 2, deliver: 0, reserved: 3 } as const

/** Reads a TPDU from the network. Throws a MalformedPdu for one that is cut off, or of another type. */
export function readIncoming(tpdu: Buffer): DeliveredSms | StatusReport {
  const reader = new PduReader(tpdu)
  const first = reader.octet()
  const type = first & 3
  if (type === types.report) return readReport(reader)
  if (type === types.deliver || type === types.reserved) return readDeliver(reader, first)
  throw new MalformedPdu('The PDU is none that a network sends to a modem.')
}
