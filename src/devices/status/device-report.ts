import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { DeviceStatus } from '../../storage/tables/schema.ts'
import { insertRows, selectEach, updateRows } from '../../storage/seam/sets.ts'

/**
 * What the node that runs a device last knew of it: stored as JSON in `device_reports.body`. Groups that a device cannot tell are null.
 * Times are milliseconds.
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
  /** Its pace, of all its SIMs together; `resetsAt` is null while no window is open. Null for a device without one. */
  throughput: {
    partsPerWindow: number
    windowSeconds: number
    remaining: number
    resetsAt: number | null
    /** The pace of each SIM, where it has several. */
    bySim?: readonly { slot: number; partsPerWindow: number; remaining: number; resetsAt: number | null }[]
  } | null
  /** Whether the node doubts it, by the outcomes of what it submitted there; omitted by nodes of versions before. What a device says of itself is no doubt. */
  isDoubted?: boolean
  /** Hand-overs that are open on it, of whatever account. */
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

/** A report older than this says nothing any more: three were missed, so the node behind the device is gone or stuck. */
export const reportLifetimeMs = 30_000

const present = {
  sql: "select id from devices where id = :device and state <> 'retired'",
  inputs: ['device'],
} as const

/**
 * Keeps the latest report of each device, and which start of a server told it. What a server says that has not heard yet that a device was
 * removed is dropped.
 */
export async function saveDeviceReports(
  tx: Tx,
  reports: readonly DeviceReport[],
  toldBy: number | null = null,
): Promise<void> {
  const found = await selectEach<{ id: string }>(
    tx,
    present,
    reports.map(({ deviceId }) => [deviceId]),
  )
  const known = new Set(found.map(({ id }) => id))
  const told = reports.filter(({ deviceId }) => known.has(deviceId))
  const rows = told.map(({ deviceId, status, reasons, body, reportedAt }) => ({
    device_id: deviceId,
    status,
    reasons: JSON.stringify(reasons),
    body: JSON.stringify(body),
    reported_at: reportedAt,
    told_by: toldBy,
  }))
  await allDone([
    insertRows(tx, 'device_reports', rows, 'ignore'),
    updateRows(tx, 'device_reports', ['device_id'], rows),
  ])
}
