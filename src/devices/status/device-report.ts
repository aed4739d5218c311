import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { DeviceStatus } from '../../storage/tables/schema.ts'
import { insertRows, selectEach, updateRows } from '../../storage/seam/sets.ts'

/**
 * What the node that runs a device last knew about it: stored as JSON in `device_reports.body`. Groups that a
 * device cannot report are null. Times are milliseconds.
 */
export interface DeviceReportBody {
  link: string
  lastSeenAt: number | null
  nextContactExpectedBy: number | null
  appVersion: string | null
  battery: { percent: number; charging: boolean; at: number } | null
  network: {
    registered: boolean | null
    roaming: boolean | null
    operator: string | null
    signalDbm: number | null
    transport: string | null
    at: number
  } | null
  sims: readonly { slot: number; number: string | null; carrier: string | null }[]
  capabilities: { deliveryReports: boolean; maxParts: number; alphanumericSender: boolean } | null
  /** Its rate limit, over all its SIMs; `resetsAt` is null while no window is open. Null for a device without one. */
  throughput: {
    partsPerWindow: number
    windowSeconds: number
    remaining: number
    resetsAt: number | null
    /** The rate limit of each SIM, if there are several. */
    bySim?: readonly { slot: number; partsPerWindow: number; remaining: number; resetsAt: number | null }[]
  } | null
  /**
   * Whether the node distrusts it, by the outcomes of its submissions; omitted by nodes of earlier versions.
   * What a device reports about itself does not count.
   */
  isDoubted?: boolean
  /** Its submissions in flight, of all accounts. */
  inFlight: number
  lastSentAt: number | null
  lastError: string | null
}

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
    reasons: JSON.stringify(reasons),
    body: JSON.stringify(body),
    reported_at: reportedAt,
    told_by: reportedBy,
  }))
  await allDone([
    insertRows(tx, 'device_reports', rows, 'ignore'),
    updateRows(tx, 'device_reports', ['device_id'], rows),
  ])
}
