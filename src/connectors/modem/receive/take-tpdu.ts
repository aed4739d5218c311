import type { ConnectorEvents } from '../../connector.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import { readIncoming } from '../pdu/incoming-pdu.ts'
import { MalformedPdu } from '../pdu/pdu-reader.ts'
import type { StatusReport } from '../pdu/report-pdu.ts'
import { inboundOf } from './inbound.ts'
import type { Taken } from './sweep.ts'
import type { WaitingReports } from './waiting-reports.ts'

interface Deps {
  events: Pick<ConnectorEvents, 'receipt' | 'inbound'>
  reports: WaitingReports
  /** Settles when no part awaits its reference: a report may overtake it. */
  noneOpen(): Promise<void>
  counters?: ConnectorTools['counters']
}

/**
 * Returns what passes on a TPDU of the network: a report about a part, or an SMS. What the service does not store
 * stays in the modem, and comes again.
 */
export function createTaker({ events, reports, noneOpen, counters }: Deps): (tpdu: Buffer) => Promise<Taken> {
  const takeReport = async (report: StatusReport): Promise<Taken> => {
    if (!reports.knows(report)) await noneOpen()
    const receipt = reports.receiptOf(report)
    if (receipt === null) return 'done'
    await events.receipt(receipt)
    reports.reported(receipt)
    return 'done'
  }
  return async (tpdu) => {
    try {
      const read = readIncoming(tpdu)
      if (read.kind === 'report') return await takeReport(read)
      const inbound = inboundOf(read, tpdu)
      if (typeof inbound === 'string') counters?.unparsed('pdu', inbound)
      else await events.inbound(inbound)
      return 'done'
    } catch (error) {
      if (!(error instanceof MalformedPdu)) return 'kept'
      counters?.unparsed('pdu', error.message)
      return 'undecodable'
    }
  }
}
