import { readReport } from '../messages.ts'
import type { Report } from '../ports.ts'
import { isRecord, textOf } from '../route.ts'

/** The form of our IDs; the phone lists messages of other clients too. */
const ownId = /^att_[0-9A-Za-z]{1,60}$/

/**
 * Returns what an entry of the phone reports about our message; nothing for another one. A failure after the
 * message was sent is reported after that: the network accepted it, so it is never released.
 */
export function reportsIn(entry: Record<string, unknown>, clockOffsetMs: number): Report[] {
  if (!ownId.test(textOf(entry['id'], 64) ?? '')) return []
  const reports = readReport(entry, clockOffsetMs)
  const wasSent = isRecord(entry['states']) && typeof entry['states']['Sent'] === 'string'
  return reports.flatMap((report) =>
    report.state === 'failed' && wasSent ? [{ ...report, state: 'sent', error: null }, report] : [report],
  )
}
