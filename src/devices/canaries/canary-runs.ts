import type { Selectable } from 'kysely'
import { dayMs, minuteMs } from '../../runtime/clock.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { type JsonText, readJson } from '../../storage/tables/json-columns.ts'
import type { CanaryRunTable, CanaryTable } from '../../storage/tables/device-tables.ts'
import { correctPlans } from '../plans/count-in-plans.ts'
import { maxCanaries } from './canary-store.ts'

export type CanaryRow = Selectable<CanaryTable>
export type CanaryRun = Selectable<CanaryRunTable>

/** A run that has not arrived by then is lost: an SMS takes seconds, and a phone that polls a quarter of an hour. */
export const lostAfterMs = 20 * minuteMs
/** As many runs are kept, of each canary: losses are counted among them. */
export const maxRuns = 100

/** Reads canaries whose next run is due, the longest due first. */
export const readDue = (db: Db, nowMs: number): Promise<CanaryRow[]> =>
  db
    .selectFrom('canaries')
    .selectAll()
    .where('next_at', '<=', nowMs)
    .orderBy('next_at')
    .limit(maxCanaries)
    .execute()

/** Takes the run of a canary, by moving its next one. Returns false if another node has taken it. */
export async function takeRun(tx: Tx, canary: CanaryRow, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('canaries')
    .set({ next_at: nowMs + canary.every_ms })
    .where('id', '=', canary.id)
    .where('next_at', '=', canary.next_at)
    .executeTakeFirst()
  return Number(numUpdatedRows) === 1
}

/** The reason of an open run that a device may have: what is lost of these may have been sent. */
const given = 'given'

/** Stores a run that begins; `isGiven`: its device gets it at once, and does not fetch it. Drops what is more than `maxRuns`. */
export async function beginRun(
  tx: Tx,
  canary: CanaryRow,
  run: Pick<CanaryRun, 'id' | 'code' | 'begun_at' | 'plan_counts'>,
  isGiven: boolean,
): Promise<void> {
  const { id: canary_id, from_device, to_device } = canary
  await tx
    .insertInto('canary_runs')
    .values({ ...run, canary_id, from_device, to_device, state: 'open', reason: isGiven ? given : null })
    .execute()
  const oldest = await tx
    .selectFrom('canary_runs')
    .select('begun_at')
    .where('canary_id', '=', canary_id)
    .orderBy('begun_at', 'desc')
    .limit(1)
    .offset(maxRuns)
    .executeTakeFirst()
  if (oldest !== undefined)
    await tx
      .deleteFrom('canary_runs')
      .where('canary_id', '=', canary_id)
      .where('begun_at', '<=', oldest.begun_at)
      .execute()
}

/** What became known of a run. `isRefused`: it was certainly not sent. */
export interface RunEnd {
  id: string
  state: 'arrived' | 'lost'
  reason: string | null
  isRefused?: true
}

/**
 * Ends a run that is open. Of the first one that is lost in a row the next run follows at once, so that two that are lost
 * are known soon. Returns whether it was open.
 */
export async function endRun(
  tx: Tx,
  { id, state, reason, isRefused }: RunEnd,
  nowMs: number,
): Promise<boolean> {
  const run = await readOpenRun(tx, id)
  if (run === undefined) return false
  await tx.updateTable('canary_runs').set({ state, reason, ended_at: nowMs }).where('id', '=', id).execute()
  const canary = await tx
    .selectFrom('canaries')
    .selectAll()
    .where('id', '=', run.canary_id)
    .executeTakeFirstOrThrow()
  const lost = state === 'lost' ? canary.lost_in_row + 1 : 0
  await tx
    .updateTable('canaries')
    .set({ lost_in_row: lost, ...(lost === 1 && { next_at: nowMs }) })
    .where('id', '=', canary.id)
    .execute()
  if (isRefused) await returnCounts(tx, run)
  return true
}

/**
 * Takes a run back that was certainly not sent, because its device had no room or has just gone: it is due again as it was at
 * `dueMs`, and counts nowhere.
 */
export async function returnRun(tx: Tx, id: string, dueMs: number): Promise<void> {
  const run = await readOpenRun(tx, id)
  if (run === undefined) return
  await tx.deleteFrom('canary_runs').where('id', '=', id).execute()
  await tx.updateTable('canaries').set({ next_at: dueMs }).where('id', '=', run.canary_id).execute()
  await returnCounts(tx, run)
}

const readOpenRun = (tx: Tx, id: string) =>
  tx
    .selectFrom('canary_runs')
    .select(['canary_id', 'from_device', 'plan_counts'])
    .where('id', '=', id)
    .where('state', '=', 'open')
    .executeTakeFirst()

/** Returns what a run that was certainly not sent has counted. */
async function returnCounts(
  tx: Tx,
  { from_device: deviceId, plan_counts }: Pick<CanaryRun, 'from_device' | 'plan_counts'>,
): Promise<void> {
  if (plan_counts === null) return
  await correctPlans(tx, [{ deviceId, counts: readJson(plan_counts), parts: -1, messages: -1 }])
}

/**
 * Applies a text with this code that a device has received. Returns false if no run has the code: then it is a message.
 * One that is late, or arrives twice, changes nothing, and is no message either.
 */
export async function arriveRun(
  tx: Tx,
  { deviceId, code }: { deviceId: string; code: string },
  nowMs: number,
): Promise<boolean> {
  const run = await tx
    .selectFrom('canary_runs')
    .select('id')
    .where('code', '=', code)
    .where('to_device', '=', deviceId)
    .executeTakeFirst()
  if (run === undefined) return false
  await endRun(tx, { id: run.id, state: 'arrived', reason: null }, nowMs)
  return true
}

/** Ends what has not arrived in time. */
export async function endOverdue(tx: Tx, nowMs: number): Promise<number> {
  const rows = await tx
    .selectFrom('canary_runs')
    .select(['id', 'taken_at', 'reason'])
    .where('state', '=', 'open')
    .where('begun_at', '<=', nowMs - lostAfterMs)
    .limit(maxRuns)
    .execute()
  for (const { id, taken_at, reason } of rows) {
    const lost = { id, state: 'lost', reason: taken_at === null ? 'not_taken' : 'not_arrived' } as const
    await endRun(tx, { ...lost, ...(taken_at === null && reason !== given && { isRefused: true }) }, nowMs)
  }
  return rows.length
}

const offeredRuns = {
  sql: `select r.id, r.code, r.begun_at, r.reason, c.recipient, c.sim from canary_runs r cross join canaries c on c.id = r.canary_id
        where r.from_device = :device and r.state = 'open' and r.taken_at is null and r.begun_at > :after`,
  inputs: ['device', 'after'],
} as const

/** Reads the runs that a phone may send. */
export const readOfferedRuns = (
  db: Db,
  deviceId: string,
  nowMs: number,
): Promise<Pick<CanaryRun & CanaryRow, 'id' | 'code' | 'begun_at' | 'reason' | 'recipient' | 'sim'>[]> =>
  selectEach(db, offeredRuns, [[deviceId, nowMs - lostAfterMs]])

/** Records that a phone may have these from now on. */
export async function markGiven(tx: Tx, runs: readonly Pick<CanaryRun, 'id' | 'reason'>[]): Promise<void> {
  const fresh = runs.filter(({ reason }) => reason === null).map(({ id }) => id)
  if (fresh.length > 0)
    await tx
      .updateTable('canary_runs')
      .set({ reason: given })
      .where('id', 'in', fresh)
      .where('state', '=', 'open')
      .execute()
}

/** Records that a device has it, and the ID of the network. */
export async function markTaken(
  tx: Tx,
  id: string,
  nowMs: number,
  networkId: string | null = null,
): Promise<void> {
  await tx
    .updateTable('canary_runs')
    .set({ taken_at: nowMs, ...(networkId !== null && { network_id: networkId }) })
    .where('id', '=', id)
    .execute()
}

const runOf = {
  sql: 'select id from canary_runs where id = :id and from_device = :device',
  inputs: ['id', 'device'],
} as const

/** Returns which of these attempts of devices are runs. */
export async function findRuns(
  db: Db,
  attempts: readonly { attemptId: string; deviceId: string }[],
): Promise<ReadonlySet<string>> {
  const rows = await selectEach<{ id: string }>(
    db,
    runOf,
    attempts.map(({ attemptId, deviceId }) => [attemptId, deviceId]),
  )
  return new Set(rows.map(({ id }) => id))
}

const byNetworkId = {
  sql: `select r.from_device, r.network_id, c.recipient, c.sender, d.senders
        from canary_runs r cross join canaries c on c.id = r.canary_id cross join devices d on d.id = r.from_device
        where r.from_device = :device and r.network_id = :id`,
  inputs: ['device', 'id'],
} as const

/** A run as the network knows it: its ID there, and its numbers. */
export interface NetworkRun {
  from_device: string
  network_id: string
  recipient: string
  /** Those from which it may have been sent. */
  senders: readonly string[]
}

/** Finds the runs that devices sent under these IDs of the network. */
export async function findByNetworkId(
  tx: Tx,
  ids: readonly (readonly [deviceId: string, networkId: string])[],
): Promise<NetworkRun[]> {
  type Row = Omit<NetworkRun, 'senders'> & { sender: string | null; senders: JsonText<readonly string[]> }
  const rows = await selectEach<Row>(
    tx,
    byNetworkId,
    ids.map((each) => [...each]),
  )
  return rows.map(({ sender, senders, ...run }) => ({
    ...run,
    senders: sender === null ? readJson(senders) : [sender],
  }))
}

const recipientsSince = {
  sql: `select c.from_device, c.recipient from canaries c where c.from_device = :device
          and exists (select 1 from canary_runs r where r.canary_id = c.id and r.begun_at > :after)`,
  inputs: ['device', 'after'],
} as const

/** A network reports for three days on what it was given. */
const longestReportMs = 3 * dayMs

/** Finds the numbers to which devices have sent canaries of which a receipt may be that arrives now. */
export const findRecipients = (
  tx: Tx,
  deviceIds: readonly string[],
  nowMs: number,
): Promise<{ from_device: string; recipient: string }[]> =>
  selectEach(
    tx,
    recipientsSince,
    deviceIds.map((deviceId) => [deviceId, nowMs - longestReportMs]),
  )
