import type { Tx } from '../../storage/seam/dialect.ts'
import type { DeviceState, Mode } from '../../storage/tables/schema.ts'
import type { DeviceStateTable } from '../../storage/tables/device-tables.ts'
import { insertRows, selectEach, updateRows } from '../../storage/seam/sets.ts'
import type { DeviceReport } from './device-report.ts'
import { type DeviceReportBody, writeJson } from '../../storage/tables/json-columns.ts'

/** The status of a device from an instant on. */
export interface DeviceStanding {
  deviceId: string
  status: DeviceStateTable['status']
  /** Machine-readable, worst first. */
  reasons: readonly string[]
  atMs: number
}

/** A device whose status changed. */
export interface StandingChange extends DeviceStanding {
  /** Null: shared. */
  accountId: string | null
  mode: Mode
  kind: string
  /** Null when nothing was known of it. */
  statusBefore: string | null
}

interface Present {
  device_id: string
  account_id: string | null
  mode: Mode
  kind: string
  state: DeviceState
  from_at: number | null
  status: string | null
  reasons: string | null
}

/**
 * Records the status of devices where it differs from the stored one, which ends. A report about a device
 * that was disabled or removed in the meantime is too late and is dropped. A status lasts at least 1 ms,
 * regardless of the clock. Returns what changed.
 */
export async function recordStandings(
  tx: Tx,
  standings: readonly DeviceStanding[],
): Promise<StandingChange[]> {
  const present = await readPresent(
    tx,
    standings.map(({ deviceId }) => deviceId),
  )
  const changed = standings.flatMap(({ deviceId, status, reasons, atMs }) => {
    const before = present.get(deviceId)
    const text = writeJson(reasons)
    if (before === undefined || before.state === 'retired') return []
    if (before.state === 'disabled' && status !== 'disabled') return []
    if (before.status === status && before.reasons === text) return []
    return [{ before, status, reasons, text, at: laterThan(before, atMs) }]
  })
  await endPresent(tx, changed)
  const rows = changed.map(({ before, status, text, at }) => ({
    device_id: before.device_id,
    from_at: at,
    until_at: null,
    status,
    reasons: text,
  }))
  await insertRows(tx, 'device_states', rows)
  return changed.map(({ before, status, reasons, at }) => ({
    deviceId: before.device_id, accountId: before.account_id, mode: before.mode, kind: before.kind, status, reasons, atMs: at,
    statusBefore: before.status,
  })) // prettier-ignore
}

/** Ends the status of a removed device, without a new one. */
export async function endStanding(tx: Tx, deviceId: string, atMs: number): Promise<void> {
  const before = (await readPresent(tx, [deviceId])).get(deviceId)
  if (before !== undefined) await endPresent(tx, [{ before, at: laterThan(before, atMs) }])
}

const laterThan = ({ from_at }: Present, atMs: number): number => Math.max(atMs, (from_at ?? 0) + 1)

async function endPresent(tx: Tx, changed: readonly { before: Present; at: number }[]): Promise<void> {
  const ended = changed.flatMap(({ before: { device_id, from_at }, at }) =>
    from_at === null ? [] : [{ device_id, from_at, until_at: at }],
  )
  await updateRows(tx, 'device_states', ['device_id', 'from_at'], ended)
}

async function readPresent(tx: Tx, deviceIds: readonly string[]): Promise<Map<string, Present>> {
  const rows = await selectEach<Present>(
    tx,
    {
      sql: `select d.id as device_id, d.account_id, d.mode, d.kind, d.state, s.from_at, s.status, s.reasons from devices d
        left join device_states s on s.device_id = d.id and s.until_at is null where d.id = :device`,
      inputs: ['device'],
    },
    deviceIds.map((id) => [id]),
  )
  return new Map(rows.map((row) => [row.device_id, row]))
}

/** A battery changes slowly: a sample every ten minutes is enough for a curve, 144 rows per day. */
const sampleIntervalMs = 600_000

/** Stores samples of devices whose last one is ten minutes old. A sample that was stored before is not stored again. */
export async function recordSamples(tx: Tx, reports: readonly DeviceReport[]): Promise<void> {
  const measured = reports.flatMap(({ deviceId, body }) => {
    const at = Math.max(body.battery?.at ?? 0, body.network?.at ?? 0)
    return at === 0 ? [] : [{ deviceId, at, body }]
  })
  const last = await selectEach<{ device_id: string; at: number }>(
    tx,
    {
      sql: 'select device_id, at from device_samples where device_id = :device order by at desc limit 1',
      inputs: ['device'],
    },
    measured.map(({ deviceId }) => [deviceId]),
  )
  const lastAt = new Map(last.map((row) => [row.device_id, row.at]))
  const due = measured.filter(({ deviceId, at }) => at - (lastAt.get(deviceId) ?? 0) >= sampleIntervalMs)
  const rows = due.map(({ deviceId, at, body }) => ({ device_id: deviceId, at, ...measuresOf(body) }))
  await insertRows(tx, 'device_samples', rows)
}

const measuresOf = ({ battery, network }: DeviceReportBody) => ({
  battery: battery?.percent ?? null,
  charging: battery === null ? null : battery.charging ? (1 as const) : (0 as const),
  network: network?.transport ?? null,
})

/** Records that the server of this start is still running, and has watched its devices until now. */
export async function recordRun(
  tx: Tx,
  { epoch, startedAtMs, nowMs }: { epoch: number; startedAtMs: number; nowMs: number },
): Promise<void> {
  await insertRows(tx, 'server_runs', [{ epoch, started_at: startedAtMs, seen_at: startedAtMs }], 'ignore')
  await updateRows(tx, 'server_runs', ['epoch'], [{ epoch, seen_at: Math.max(startedAtMs, nowMs) }])
}
