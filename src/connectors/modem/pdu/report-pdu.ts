import { type PduAddress, readAddress } from './address.ts'
import type { PduReader } from './pdu-reader.ts'
import { readTimeStamp, type TimeStamp } from './time-stamp.ts'

/** A delivery report of the network about one part. */
export interface StatusReport {
  kind: 'report'
  /** The number that the modem gave to the part; it wraps at 256, and is always 0 on some modems. */
  reference: number
  recipient: PduAddress
  /** When the network accepted the part; null where the report has no valid time. */
  acceptedAt: TimeStamp | null
  /** TP-ST. */
  status: number
}

/**
 * Reads an SMS-STATUS-REPORT after its first octet (3GPP TS 23.040, section 9.2.2.3). What may follow the status
 * says nothing more about the part.
 */
export function readReport(reader: PduReader): StatusReport {
  const reference = reader.octet()
  const recipient = readAddress(reader)
  const acceptedAt = readTimeStamp(reader)
  // The time of discharge, which nothing here needs.
  readTimeStamp(reader)
  return { kind: 'report', reference, recipient, acceptedAt, status: reader.octet() }
}
