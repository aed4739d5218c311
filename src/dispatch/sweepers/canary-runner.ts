import { isPull, type Outcome } from '../../connectors/connector.ts'
import {
  beginRun,
  type CanaryRow,
  endOverdue,
  endRun,
  lostAfterMs,
  markTaken,
  readDue,
  takeRun,
} from '../../devices/canaries/canary-runs.ts'
import { canaryText, codeOf } from '../../devices/canaries/canary-text.ts'
import { readPlanRooms } from '../../messages/queue/plan-rooms.ts'
import { minuteMs } from '../../runtime/clock.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import type { CanarySenders } from '../devices/canary-senders.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

interface CanaryRunnerDeps extends SweeperDeps {
  read: Db
  writer: Writer
  ids: Ids
  pool: Pick<DevicePool, 'get' | 'isFrozen' | 'plans'>
  canaries: CanarySenders
}

const intervalMs = 5_000
/** The node that runs a link takes its runs. After this time none does, and the run is lost. */
const unclaimedMs = minuteMs

interface Run {
  id: string
  code: string
}

/**
 * Begins the runs of canaries, and ends those that have not arrived. A run is flushed before its device gets it, and
 * submitted once: after a crash it is lost. A phone fetches its runs (`PhoneGateway`). Each node does this for the devices
 * that it runs.
 */
export const createCanaryRunner = (deps: CanaryRunnerDeps): Sweeper =>
  new Sweeper(deps, {
    name: 'canary-runner',
    intervalMs,
    async sweep() {
      const { read, writer, clock, canaries } = deps
      await canaries.refresh(read)
      if (canaries.isEmpty) return false
      const isOverdue = await read
        .selectFrom('canary_runs')
        .select('id')
        .where('state', '=', 'open')
        .where('begun_at', '<=', clock.now() - lostAfterMs)
        .limit(1)
        .executeTakeFirst()
      if (isOverdue !== undefined) await writer.write((tx) => endOverdue(tx, clock.now()))
      const due = await readDue(read, clock.now())
      await Promise.all(due.map((canary) => run(deps, canary)))
      return false
    },
  })

async function run(deps: CanaryRunnerDeps, canary: CanaryRow): Promise<void> {
  const { writer, clock, pool } = deps
  const device = pool.get(canary.from_device)
  const isAble = device !== null && (isPull(device.link) || (device.canSubmit && device.hasRoom))
  if (!isAble && clock.now() - canary.next_at < unclaimedMs) return
  const begun = await writer.write((tx) => begin(tx, deps, canary))
  if (begun === null) return
  if (!isAble) {
    const lost = { id: begun.id, state: 'lost', reason: 'device_unavailable', isRefused: true } as const
    await writer.write((tx) => endRun(tx, lost, clock.now()))
  } else if (isPull(device.link)) device.wake()
  else await submit(deps, canary, { device, begun })
}

/** Returns null if another node has the run, its account is frozen, or the SIM plans include no further message. */
async function begin(tx: Tx, { clock, ids, pool }: CanaryRunnerDeps, canary: CanaryRow): Promise<Run | null> {
  const nowMs = clock.now()
  if (!(await takeRun(tx, canary, nowMs))) return null
  if (canary.account_id !== null && pool.isFrozen(canary.account_id)) return null
  const deviceId = canary.from_device
  const plans = pool.plans.forClaim(deviceId)
  const rooms = await readPlanRooms(tx, [{ deviceId, ...(plans !== undefined && { plans }) }], nowMs)
  const message = { recipient: canary.recipient, parts: 1 }
  await rooms?.learn(tx, [{ ...message, deviceId }])
  if (rooms?.allows(deviceId, canary.sim, message) === null) return null
  const planCounts = rooms?.take(deviceId, canary.sim, message) ?? null
  await rooms?.count(tx)
  const id = ids('att')
  const code = codeOf(id)
  await beginRun(tx, canary, { id, code, begun_at: nowMs, plan_counts: planCounts })
  return { id, code }
}

async function submit(
  { writer, clock, log }: CanaryRunnerDeps,
  canary: CanaryRow,
  { device, begun: { id, code } }: { device: DeviceRuntime; begun: Run },
): Promise<void> {
  if (isPull(device.link)) return
  device.claimed(1)
  device.submitted()
  const outcome = await device.link
    .submit({
      attemptId: id,
      to: canary.recipient,
      from: canary.sender,
      text: canaryText(code),
      encoding: 'gsm7',
      parts: 1,
      category: 'transactional',
      validitySeconds: lostAfterMs / 1_000,
    })
    .catch((error: unknown): Outcome => {
      log.error(
        { err: error, device_id: canary.from_device },
        'a connector threw instead of returning an outcome',
      )
      return { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'The connector failed.' }
    })
  device.answered()
  device.finished(outcome, { accountId: canary.account_id ?? '', to: canary.recipient })
  await writer.write((tx) => settle(tx, id, outcome, clock.now()))
}

async function settle(tx: Tx, id: string, outcome: Outcome, nowMs: number): Promise<void> {
  if (outcome.kind === 'accepted' || outcome.kind === 'unknown')
    return markTaken(tx, id, nowMs, outcome.networkIds[0] ?? null)
  const reason = outcome.kind === 'unavailable' ? 'device_unavailable' : outcome.code
  await endRun(tx, { id, state: 'lost', reason, isRefused: true }, nowMs)
}
