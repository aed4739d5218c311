import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { type DeviceReportBody, writeJson } from '../../storage/tables/json-columns.ts'
import type { DeviceStatus } from '../../storage/tables/schema.ts'
import { insertRows, selectEach, updateRows } from '../../storage/seam/sets.ts'

export interface DeviceReport {
  deviceId: string
  status: DeviceStatus
  /** Machine-readable, worst first. */
  reasons: readonly string[]
  body: DeviceReportBody
  reportedAt: number
}

/** A report older than this is meaningless: three were missed, so the node that runs the device is gone or stuck. */
export const reportLifetimeMs = 30_000

const present = {
  sql: "select id from devices where id = :device and state <> 'retired'",
  inputs: ['device'],
} as const

/**
 * Stores the latest report of each device, and which start of a server made it. A report by a server that has
 * not yet learned of the removal of a device is dropped.
 */
export async function saveDeviceReports(
  tx: Tx,
  reports: readonly DeviceReport[],
  reportedBy: number | null = null,
): Promise<void> {
  const found = await selectEach<{ id: string }>(
    tx,
    present,
    reports.map(({ deviceId }) => [deviceId]),
  )
  const known = new Set(found.map(({ id }) => id))
  const kept = reports.filter(({ deviceId }) => known.has(deviceId))
  const rows = kept.map(({ deviceId, status, reasons, body, reportedAt }) => ({
    device_id: deviceId,
    status,
    reasons: writeJson(reasons),
    body: writeJson(body),
    reported_at: reportedAt,
    told_by: reportedBy,
  }))
  await allDone([
    insertRows(tx, 'device_reports', rows, 'ignore'),
    updateRows(tx, 'device_reports', ['device_id'], rows),
  ])
}
