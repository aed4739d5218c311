import { type TpduAddress, writeAddress } from './tpdu-address.ts'
import { hexOf } from './tpdu-octets.ts'
import { writeTime } from './tpdu-time.ts'

/** An SMS-STATUS-REPORT (3GPP TS 23.040 section 9.2.2.3). */
export interface StatusReportTpdu {
  reference: number
  /** TP-RA: the recipient of the submit. */
  recipient: TpduAddress
  /** TP-SCTS: when the SMSC took the submit. */
  takenAtMs: number
  /** TP-DT. */
  doneAtMs: number
  offsetMinutes: number
  /** TP-ST. */
  status: number
}

/** Writes the TPDU in hex, without an SMSC. TP-MMS says that nothing else waits. */
export const writeStatusReport = (report: StatusReportTpdu): string =>
  hexOf(
    [0x06, report.reference],
    writeAddress(report.recipient),
    writeTime(report.takenAtMs, report.offsetMinutes),
    writeTime(report.doneAtMs, report.offsetMinutes),
    [report.status],
  )
