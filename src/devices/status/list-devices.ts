import type { Db } from '../../storage/seam/dialect.ts'
import type { DeviceState, DeviceStatus, Mode } from '../../storage/tables/schema.ts'
import { type DeviceReportBody, type JsonText, readJson } from '../../storage/tables/json-columns.ts'

export interface ListedDevice {
  id: string
  accountId: string | null
  mode: Mode
  kind: string
  name: string
  state: DeviceState
  isDraining: boolean
  senders: readonly string[]
  settings: Readonly<Record<string, string>>
  hasSecrets: boolean
  pace: { partsPerWindow: number; windowSeconds: number } | null
  /** Its last report about itself; null when it has not reported yet. */
  report: {
    status: DeviceStatus
    reasons: readonly string[]
    body: DeviceReportBody
    reportedAt: number
  } | null
  /** The server that runs its link, and until when without renewal; null when none does. */
  lease: { node: string; until: number } | null
  groupId: string | null
  createdAt: number
}

/** Which devices: an account's own, the shared ones, one by its ID, or all. */
export type DeviceScope = { accountId: string } | 'shared' | { deviceId: string } | 'all'

const columns = [
  'd.id', 'd.account_id', 'd.mode', 'd.kind', 'd.name', 'd.state', 'd.draining', 'd.senders', 'd.settings', 'd.secrets', 'd.parts_per_window',
  'd.window_seconds', 'd.created_at', 'd.lease_owner', 'd.lease_until', 'd.group_id', 'r.status', 'r.reasons', 'r.body', 'r.reported_at',
] as const // prettier-ignore

/**
 * Returns devices that are not retired, in the order in which they were added, after `afterId`, at most
 * `limit`. Without secrets.
 */
export async function listDevices(
  db: Db,
  scope: DeviceScope,
  page: { afterId: string | null; limit: number },
): Promise<{ devices: ListedDevice[]; nextAfterId: string | null }> {
  let query = db
    .selectFrom('devices as d')
    .leftJoin('device_reports as r', 'r.device_id', 'd.id')
    .select(columns)
    .where('d.id', '>', page.afterId ?? '')
    .where('d.state', '!=', 'retired')
    .orderBy('d.id')
    .limit(page.limit + 1)
  if (scope === 'shared') query = query.where('d.account_id', 'is', null)
  else if (scope !== 'all' && 'accountId' in scope) query = query.where('d.account_id', '=', scope.accountId)
  else if (scope !== 'all') query = query.where('d.id', '=', scope.deviceId)
  const found = await query.execute()
  const devices = found.slice(0, page.limit).map((row) => ({
    id: row.id,
    accountId: row.account_id,
    mode: row.mode,
    kind: row.kind,
    name: row.name,
    state: row.state,
    isDraining: row.draining === 1,
    senders: readJson(row.senders),
    settings: readJson(row.settings),
    hasSecrets: row.secrets !== null,
    pace: paceOf(row),
    report: reportOf(row),
    lease:
      row.lease_owner === null || row.lease_until === null
        ? null
        : { node: row.lease_owner, until: row.lease_until },
    groupId: row.group_id,
    createdAt: row.created_at,
  }))
  return { devices, nextAfterId: found.length > page.limit ? (devices.at(-1)?.id ?? null) : null }
}

const paceOf = (row: {
  parts_per_window: number | null
  window_seconds: number | null
}): ListedDevice['pace'] =>
  row.parts_per_window === null || row.window_seconds === null
    ? null
    : { partsPerWindow: row.parts_per_window, windowSeconds: row.window_seconds }

interface ReportColumns {
  status: DeviceStatus | null
  reasons: JsonText<readonly string[]> | null
  body: JsonText<DeviceReportBody> | null
  reported_at: number | null
}

const reportOf = ({ status, reasons, body, reported_at }: ReportColumns): ListedDevice['report'] =>
  status === null || reasons === null || body === null || reported_at === null
    ? null
    : {
        status,
        reasons: readJson(reasons),
        body: readJson(body),
        reportedAt: reported_at,
      }
