import { isPull, type Link, type Outcome } from '../../connectors/connector.ts'
import {
  beginRun,
  type CanaryRow,
  endOverdue,
  endRun,
  lostAfterMs,
  markTaken,
  readDue,
  returnRun,
  takeRun,
} from '../../devices/canaries/canary-runs.ts'
import { canaryText, codeOf } from '../../devices/canaries/canary-text.ts'
import { readPlanRooms } from '../../messages/queue/plan-rooms.ts'
import { allDone } from '../../runtime/all-done.ts'
import { minuteMs } from '../../runtime/clock.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import type { CanarySenders } from '../devices/canary-senders.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import type { Flag } from '../../storage/tables/column-values.ts'
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
/** Runs that links have at a time. */
const maxSending = 100
/** A device that was busy is asked again after the first of these times, then after twice as long each time. */
const busyWaitMs = { first: 10_000, longest: 2 * minuteMs } as const

interface Run {
  id: string
  code: string
}

/** What a runner remembers between its sweeps, by canary. */
interface Memory {
  sending: Map<string, Promise<void>>
  /** Those whose device was busy. */
  waits: Map<string, { ms: number; untilMs: number }>
}

/** A link of this node, which sends one run. */
type Sending = DeviceRuntime & { link: Link }

/**
 * Begins the runs of canaries, and ends those that have not arrived. A run is flushed before its device gets it, and
 * submitted once: after a crash it is lost. A phone fetches its runs (`PhoneGateway`). Each node does this for the devices
 * that it runs. Links send in parallel, and no sweep waits for them, so that a slow one delays no other canary.
 */
export function createCanaryRunner(deps: CanaryRunnerDeps): Sweeper {
  const memory: Memory = { sending: new Map(), waits: new Map() }
  return new Sweeper(deps, {
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
      for (const id of memory.waits.keys()) if (!due.some((one) => one.id === id)) memory.waits.delete(id)
      await allDone(due.map((canary) => run(deps, canary, memory)))
      return false
    },
    besides: () => Promise.all(memory.sending.values()),
  })
}

async function run(deps: CanaryRunnerDeps, canary: CanaryRow, { sending, waits }: Memory): Promise<void> {
  const { writer, clock, pool, log } = deps
  const device = pool.get(canary.from_device)
  const isOverdue = clock.now() - canary.next_at >= lostAfterMs
  if (device !== null && isPull(device.link)) {
    if ((await writer.write((tx) => begin(tx, deps, canary, false))) !== null) device.wake()
  } else if (device === null || !device.canSubmit) {
    if (clock.now() - canary.next_at >= unclaimedMs)
      await writer.write((tx) => lose(tx, deps, canary, { runsHere: device !== null }))
  } else if (sending.has(canary.id)) {
    return
  } else if (!device.hasRoom) {
    if (isOverdue)
      await writer.write((tx) => lose(tx, deps, canary, { runsHere: true, reason: 'device_busy' }))
  } else if (sending.size < maxSending && (waits.get(canary.id)?.untilMs ?? 0) <= clock.monotonicMs()) {
    const sent = send(deps, canary, device as Sending)
      .then((isBusy) => {
        const ms = Math.min(busyWaitMs.longest, 2 * (waits.get(canary.id)?.ms ?? busyWaitMs.first / 2))
        if (isBusy) waits.set(canary.id, { ms, untilMs: clock.monotonicMs() + ms })
        else waits.delete(canary.id)
      })
      .catch((error: unknown) => log.error({ err: error, canary_id: canary.id }, 'failed to run a canary'))
      .finally(() => sending.delete(canary.id))
    sending.set(canary.id, sent)
  }
}

/**
 * Returns null if another node has the run, its account is frozen, one of its devices is disabled, the sender is drained, or the
 * SIM plans include no further message.
 */
async function begin(
  tx: Tx,
  { clock, ids, pool }: CanaryRunnerDeps,
  canary: CanaryRow,
  isGiven: boolean,
): Promise<Run | null> {
  const nowMs = clock.now()
  if (!(await takeRun(tx, canary, nowMs))) return null
  const isFrozen = canary.account_id !== null && pool.isFrozen(canary.account_id)
  if (isFrozen || (await readDevices(tx, canary)).some(isOut(canary))) return null
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
  await beginRun(tx, canary, { id, code, begun_at: nowMs, plan_counts: planCounts }, isGiven)
  return { id, code }
}

/**
 * Loses a run that no device can send. The node that has the lease of a device knows better whether it works. A device that is
 * disabled sends or receives nothing, and one that is drained sends nothing, which is no fault: the run is omitted.
 */
async function lose(
  tx: Tx,
  { clock, ids, pool }: CanaryRunnerDeps,
  canary: CanaryRow,
  { runsHere, reason = 'device_unavailable' }: { runsHere: boolean; reason?: string },
): Promise<void> {
  const nowMs = clock.now()
  const devices = await readDevices(tx, canary)
  const leasedUntil = devices.find(({ id }) => id === canary.from_device)?.lease_until ?? 0
  if (!runsHere && leasedUntil > nowMs) return
  if (!(await takeRun(tx, canary, nowMs))) return
  const isFrozen = canary.account_id !== null && pool.isFrozen(canary.account_id)
  if (isFrozen || devices.some(isOut(canary))) return
  const id = ids('att')
  await beginRun(tx, canary, { id, code: codeOf(id), begun_at: nowMs, plan_counts: null }, false)
  await endRun(tx, { id, state: 'lost', reason }, nowMs)
}

const readDevices = (tx: Tx, { from_device: from, to_device: to }: CanaryRow) =>
  tx
    .selectFrom('devices')
    .select(['id', 'state', 'draining', 'lease_until'])
    .where('id', 'in', [from, to])
    .execute()

/** Whether a device is disabled, or drained and would be the sender. */
const isOut =
  ({ from_device: from }: CanaryRow) =>
  ({ id, state, draining }: { id: string; state: string; draining: Flag }): boolean =>
    state !== 'enabled' || (id === from && draining === 1)

/**
 * Sends a run over a link, whose room is taken before the run is flushed: messages may take the rest of it meanwhile. Returns
 * whether the device was busy, so that the run is due again.
 */
async function send(deps: CanaryRunnerDeps, canary: CanaryRow, device: Sending): Promise<boolean> {
  const { writer, clock } = deps
  device.claimed(0)
  device.submitted()
  let outcome: Outcome | null = null
  try {
    const begun = await writer.write((tx) => begin(tx, deps, canary, true))
    if (begun === null) return false
    outcome = device.canSubmit ? await submit(deps, canary, { device, begun }) : notSent
    const { id } = begun
    const said = outcome
    return await writer.write((tx) => settle(tx, canary, { id, outcome: said }, clock.now()))
  } finally {
    device.answered()
    if (outcome === null || outcome === notSent) device.released()
    else device.finished(outcome, { accountId: canary.account_id ?? '', to: canary.recipient })
  }
}

/** The link went, or its lease, while the run was flushed. */
const notSent: Outcome = { kind: 'unavailable', detail: 'The device went before the canary was submitted.' }

const submit = (
  { log }: CanaryRunnerDeps,
  canary: CanaryRow,
  { device, begun: { id, code } }: { device: Sending; begun: Run },
): Promise<Outcome> =>
  device.link
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

/**
 * A device that has no room for it now gets the run again, until it is overdue: that it is busy is no loss, unless it is the
 * handset that takes no more. Returns whether the run is due again.
 */
async function settle(
  tx: Tx,
  canary: CanaryRow,
  { id, outcome }: { id: string; outcome: Outcome },
  nowMs: number,
): Promise<boolean> {
  if (outcome.kind === 'accepted' || outcome.kind === 'unknown') {
    await markTaken(tx, id, nowMs, outcome.networkIds[0] ?? null)
    return false
  }
  const isBusy =
    outcome.kind === 'unavailable' ||
    (outcome.kind === 'refused' && outcome.lasts === 'busy' && outcome.recipientAlone !== true)
  if (isBusy && nowMs - canary.next_at < lostAfterMs) {
    await returnRun(tx, id, canary.next_at)
    return true
  }
  const reason = outcome.kind === 'unavailable' ? 'device_unavailable' : outcome.code
  await endRun(tx, { id, state: 'lost', reason, isRefused: true }, nowMs)
  return false
}
