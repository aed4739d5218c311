import type { Tx } from '../../storage/seam/dialect.ts'
import type { DeviceStatus } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { type DeviceReportBody, type JsonText, readJson } from '../../storage/tables/json-columns.ts'
import { type DeviceReport, reportLifetimeMs } from './device-report.ts'

/** What another node reports about a device that this one serves too. */
export interface RemoteDeviceReport {
  deviceId: string
  status: DeviceStatus
  /** Whether that node distrusts it; omitted: no. */
  isDoubted?: boolean
  /** How it is connected there; omitted: unknown. */
  link?: string
  /** Known numbers of its SIMs. */
  numbers?: readonly string[]
  reportedAt: number
}

interface ReportRow {
  device_id: string
  status: DeviceStatus
  body: JsonText<DeviceReportBody>
  reported_at: number
}

/**
 * Returns, for devices that every node serves, the reports of other nodes that know more: the phone has its
 * stream there, or made its last contact there. This node then does not report on them.
 */
export async function remoteDeviceReports(
  tx: Tx,
  reports: readonly DeviceReport[],
  { epoch, nowMs }: { epoch: number; nowMs: number },
): Promise<RemoteDeviceReport[]> {
  const rows = await selectEach<ReportRow & Record<string, string | number | null>>(
    tx,
    {
      sql: `select device_id, status, body, reported_at from device_reports
            where device_id = :device and told_by <> :epoch and reported_at > :since`,
      inputs: ['device', 'epoch', 'since'],
    },
    reports.map(({ deviceId }) => [deviceId, epoch, nowMs - reportLifetimeMs]),
  )
  const rowOf = new Map(rows.map((row) => [row.device_id, row]))
  return reports.flatMap(({ deviceId, body }) => {
    const row = rowOf.get(deviceId)
    if (row === undefined) return []
    const there = readJson(row.body)
    if (!knowsMore(there, body)) return []
    const { isDoubted, link } = there
    const numbers = there.sims.flatMap(({ number }) => number ?? [])
    return [
      {
        deviceId,
        status: row.status,
        ...(isDoubted && { isDoubted }),
        numbers,
        link,
        reportedAt: row.reported_at,
      },
    ]
  })
}

/** The node with its stream knows more, otherwise the one with the last contact. */
function knowsMore(there: DeviceReportBody, here: DeviceReportBody): boolean {
  const streams = Number(there.link === 'stream') - Number(here.link === 'stream')
  return streams !== 0 ? streams > 0 : (there.lastSeenAt ?? 0) > (here.lastSeenAt ?? 0)
}
