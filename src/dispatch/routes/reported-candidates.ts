import { factsOf, realKinds } from '../../connectors/registry.ts'
import { isOwnCarrier } from '../../devices/core/carrying.ts'
import { allDone } from '../../runtime/all-done.ts'
import { readPlans } from '../../devices/plans/read-plans.ts'
import { reportLifetimeMs } from '../../devices/status/device-report.ts'
import { type ListedDevice, listDevices } from '../../devices/status/list-devices.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { Candidate } from './candidate.ts'
import type { MoreOfDevice } from './explain-route.ts'

/** Devices by what was last reported about them, where none of them runs. */
export interface ReportedDevices {
  candidates: Candidate[]
  drains: ReadonlySet<string>
  paced: ReadonlySet<string>
  /** Those whose SIM plans are reached, on all of their SIMs that have one. */
  planned: ReadonlySet<string>
}

/** Returns what an explanation asks about a device, along with its candidate. */
export const moreOf =
  ({ drains, paced, planned }: Omit<ReportedDevices, 'candidates'>) =>
  (id: string): MoreOfDevice => ({
    drains: drains.has(id),
    isPaced: paced.has(id),
    isPlanned: planned.has(id),
  })

const pageSize = 1_000

/** Reads the enabled devices that an account may use in a mode, its own first. */
export async function readReportedDevices(
  db: Db,
  { accountId, mode }: { accountId: string; mode: Mode },
  nowMs: number,
): Promise<ReportedDevices> {
  const pages = await allDone(
    [{ accountId }, 'shared' as const].map((scope) =>
      listDevices(db, scope, { afterId: null, limit: pageSize }),
    ),
  )
  const devices = pages.flatMap((page) => page.devices).filter((device) => device.mode === mode && device.state === 'enabled') // prettier-ignore
  const planned = new Set(devices.flatMap(({ id, report }) => (report?.reasons.some(isOfPlan) ? [id] : [])))
  const planOf = Map.groupBy(await readPlans(db, [...planned]), ({ deviceId }) => deviceId)
  const slotsOf = (deviceId: string): number[] => (planOf.get(deviceId) ?? []).map(({ sim }) => sim)
  return {
    candidates: devices.flatMap((device) => candidateOf(device, slotsOf(device.id), nowMs) ?? []),
    planned,
    drains: new Set(devices.flatMap(({ id, isDraining }) => (isDraining ? [id] : []))),
    paced: new Set(devices.flatMap(({ id, pace }) => (pace === null ? [] : [id]))),
  }
}

const isOfPlan = (reason: string): boolean => reason === 'plan_reached' || reason === 'plan_numbers_reached'

/** `reachedSlots`: SIMs with plans, of a device that has reported that all of these are reached. */
function candidateOf(device: ListedDevice, reachedSlots: readonly number[], nowMs: number): Candidate | null {
  const kind = factsOf(device.kind)
  if (kind === null) return null
  const { id, accountId, mode, groupId, senders, report, isDraining } = device
  const isFresh = report !== null && report.reportedAt > nowMs - reportLifetimeMs
  const works = isFresh && (report.status === 'online' || report.status === 'degraded') && !isDraining
  const { maxParts, alphanumericSender, encodingChoice: choosesEncoding } = kind.carries
  const sims = report?.body.sims ?? []
  const isReached = reachedSlots.length > 0 && sims.every(({ slot }) => reachedSlots.includes(slot))
  const numbers = sims.flatMap(({ number }) => number ?? [])
  return {
    id,
    accountId,
    mode,
    senders: new Set([...senders, ...numbers]),
    maxParts,
    alphanumericSender,
    choosesEncoding,
    health: works ? (report.status === 'online' ? 'online' : 'degraded') : 'offline',
    free: report?.body.throughput?.remaining === 0 || isReached ? 0 : 1,
    load: 0,
    fetches: kind.isPhone === true,
    ...(groupId !== null && { groupId }),
    ...(report?.body.isDoubted === true && { isDoubted: true as const }),
    ...(isOwnCarrier({ accountId, kind: device.kind }, realKinds) && { isOwnCarrier: true as const }),
  }
}
