import type { CanaryView } from '../canaries/canary-view.ts'
import type { PlanView } from '../plans/plan-view.ts'
import type { DeviceState, DeviceStatus } from '../../storage/tables/schema.ts'
import { type DeviceReportBody, type JsonText, readJson } from '../../storage/tables/json-columns.ts'
import { reportLifetimeMs } from './device-report.ts'
import type { StandingPace } from './device-status-wait.ts'

/** A device as an account sees it. */
export interface SeenDevice {
  id: string
  kind: string
  shared: boolean
  status: DeviceStatus | 'disabled'
  reasons: readonly string[]
  /** Null for a shared device. */
  name: string | null
  /** The server that runs its link; null when none does, when it fetches its messages, and for a shared device. */
  node: string | null
  /** The latest report, of any age; for a shared device without confidential data. */
  report: DeviceReportBody | null
  /** What it has claimed of this account, and its submissions in flight (null for a shared device). */
  queue: { messages: number; inFlight: number | null }
  /** Of its SIMs; none for a shared device. */
  plans: readonly PlanView[]
  /** That it sends; none for a shared device. */
  canaries: readonly CanaryView[]
}

/** What is stored of a device and its last report. */
export interface DeviceRow {
  id: string
  account_id: string | null
  kind: string
  name: string
  state: DeviceState
  status: DeviceStatus | null
  reasons: JsonText<readonly string[]> | null
  body: JsonText<DeviceReportBody> | null
  reported_at: number | null
  lease_owner: string | null
  lease_until: number | null
}

/** A device with the state that its last report gives it. */
export interface JudgedDevice extends Pick<
  SeenDevice,
  'id' | 'kind' | 'name' | 'node' | 'status' | 'reasons' | 'report'
> {
  isOwn: boolean
  isEnabled: boolean
}

/**
 * Returns the status of a device: that of its last report while it is fresh; otherwise `offline`, never a
 * guess. At its rate limit it is `degraded`.
 */
export function judgeDevice(row: DeviceRow, nowMs: number): JudgedDevice {
  const { id, kind, name } = row
  const report = row.body === null ? null : reportAt(readJson(row.body), nowMs)
  const device = {
    id,
    kind,
    name,
    node: (row.lease_until ?? 0) > nowMs ? row.lease_owner : null,
    report,
    isOwn: row.account_id !== null,
    isEnabled: row.state === 'enabled',
  }
  if (row.state === 'pending' || row.state === 'disabled')
    return { ...device, status: row.state, reasons: [] }
  if (row.status === null || row.reported_at === null || nowMs - row.reported_at > reportLifetimeMs) {
    return { ...device, status: 'offline', reasons: ['no_report'] }
  }
  const reasons = readJson(row.reasons ?? '[]')
  const isAtItsPace =
    report?.throughput?.remaining === 0 && (row.status === 'online' || row.status === 'degraded')
  return isAtItsPace
    ? { ...device, status: 'degraded', reasons: [...new Set([...reasons, 'rate_limited'])] }
    : { ...device, status: row.status, reasons }
}

/** A window that has ended since the report is replaced by a new, unused one. */
function reportAt(report: DeviceReportBody, nowMs: number): DeviceReportBody {
  const { throughput } = report
  if (throughput === null) return report
  const current = <P extends Omit<StandingPace, 'windowSeconds'>>(pace: P): P =>
    pace.resetsAt === null || pace.resetsAt > nowMs
      ? pace
      : { ...pace, remaining: pace.partsPerWindow, resetsAt: null }
  if (throughput.bySim === undefined) return { ...report, throughput: current(throughput) }
  const bySim = throughput.bySim.map(current)
  const resets = bySim.flatMap(({ resetsAt }) => resetsAt ?? [])
  const remaining = bySim.reduce((sum, sim) => sum + sim.remaining, 0)
  const resetsAt = resets.length === 0 ? null : Math.min(...resets)
  return { ...report, throughput: { ...throughput, remaining, resetsAt, bySim } }
}

const ranks: Record<SeenDevice['status'], number> = {
  offline: 0,
  degraded: 1,
  pending: 2,
  online: 3,
  disabled: 4,
}
/** Worst first, own before shared. */
export const rank = (device: JudgedDevice): number => ranks[device.status] * 2 + (device.isOwn ? 0 : 1)
/** A draining device accepts nothing more. */
export const works = ({ status, reasons }: JudgedDevice): boolean =>
  (status === 'online' || status === 'degraded') && !reasons.includes('draining')
