import type { Selectable } from 'kysely'
import { minuteMs } from '../../runtime/clock.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { readJson } from '../../storage/tables/json-columns.ts'
import type { CanaryRunTable, CanaryTable } from '../../storage/tables/device-tables.ts'
import { correctPlans } from '../plans/count-in-plans.ts'

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
    .limit(maxRuns)
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

/** Stores a run that begins, and drops what is more than `maxRuns`. */
export async function beginRun(
  tx: Tx,
  canary: CanaryRow,
  run: Pick<CanaryRun, 'id' | 'code' | 'begun_at' | 'plan_counts'>,
): Promise<void> {
  const { id: canary_id, from_device, to_device } = canary
  await tx
    .insertInto('canary_runs')
    .values({ ...run, canary_id, from_device, to_device, state: 'open' })
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
  const run = await tx
    .selectFrom('canary_runs')
    .select(['canary_id', 'from_device', 'plan_counts'])
    .where('id', '=', id)
    .where('state', '=', 'open')
    .executeTakeFirst()
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
  if (isRefused && run.plan_counts !== null)
    await correctPlans(tx, [
      { deviceId: run.from_device, counts: readJson(run.plan_counts), parts: -1, messages: -1 },
    ])
  return true
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
    .select(['id', 'taken_at'])
    .where('state', '=', 'open')
    .where('begun_at', '<=', nowMs - lostAfterMs)
    .limit(maxRuns)
    .execute()
  for (const { id, taken_at } of rows)
    await endRun(tx, { id, state: 'lost', reason: taken_at === null ? 'not_taken' : 'not_arrived' }, nowMs)
  return rows.length
}

const offeredRuns = {
  sql: `select r.id, r.code, r.begun_at, c.recipient, c.sim from canary_runs r cross join canaries c on c.id = r.canary_id
        where r.from_device = :device and r.state = 'open' and r.taken_at is null and r.begun_at > :after`,
  inputs: ['device', 'after'],
} as const

/** Reads the runs that a phone may send. */
export const readOfferedRuns = (
  db: Db,
  deviceId: string,
  nowMs: number,
): Promise<Pick<CanaryRun & CanaryRow, 'id' | 'code' | 'begun_at' | 'recipient' | 'sim'>[]> =>
  selectEach(db, offeredRuns, [[deviceId, nowMs - lostAfterMs]])

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
  sql: 'select from_device, network_id from canary_runs where from_device = :device and network_id = :id',
  inputs: ['device', 'id'],
} as const

/** Returns the receipts that are not about a run: nothing waits for those of canaries. */
export async function withoutCanaries<
  W extends { deviceId: string; networkId: string; alternatives?: readonly string[] },
>(tx: Tx, words: readonly W[]): Promise<W[]> {
  const readingsOf = ({ deviceId, networkId, alternatives = [] }: W) =>
    [networkId, ...alternatives].map((id) => [deviceId, id])
  const rows = await selectEach<{ from_device: string; network_id: string }>(
    tx,
    byNetworkId,
    words.flatMap(readingsOf),
  )
  const known = new Set(rows.map((row) => `${row.from_device}/${row.network_id}`))
  return words.filter((word) => !readingsOf(word).some((reading) => known.has(reading.join('/'))))
}
