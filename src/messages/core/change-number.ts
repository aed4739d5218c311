import { sql } from 'kysely'
import { allDone } from '../../runtime/all-done.ts'
import { stampedId } from '../../runtime/ids.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { laneOf, lanesHeld, lanesOfAccounts } from '../../storage/seam/lanes.ts'
import { insertRows, selectEach, updateRows } from '../../storage/seam/sets.ts'
import type { Writer } from '../../storage/seam/writer.ts'

/**
 * The place of one unit in the order of all changes of the messages of an account. Units that write messages of an account
 * follow one another, and each takes its number inside its transaction, so that numbers of an account are in the order of
 * commits: a reader of all changes up to a number never misses a smaller one. A unit that changes no message takes none, and
 * writes nothing. Each lane has a last number, and a unit that runs without others one for all lanes; the numbers of two
 * accounts of different lanes may be the same, and in another order than their commits.
 */
export interface Change {
  /** Microseconds since 1970 UTC: the time of the unit, or one more than the last number of its lanes. */
  number: number
  /** The lanes for which it can still be stored, and whether they had a number before. */
  lanes: Map<number, boolean>
  /** The time of the number in milliseconds, for `updated_at` and new IDs: never before that of an earlier unit. */
  atMs: number
  /** `created_at` of new messages: that time too, unless the clock was set back by more than clocks of nodes differ. */
  createdMs: number
  /** The clock of the unit, for all other times: it may have been set back. */
  nowMs: number
  /** Rows of `message_changes` that the unit has written so far. */
  rows: number
  /** IDs that the unit has stamped so far. */
  ids: number
}

/** Clocks of nodes differ by less, and units wait for one another for less. */
const usualLagMs = 60_000

/** Numbers of one millisecond: more units than any database commits in that time. */
const numbersInMs = 1_000

/** Returns the smallest number of a time in milliseconds. */
export const lowestNumberAt = (atMs: number): number => atMs * numbersInMs

/** Returns the time of a number in milliseconds. */
export const timeOfNumber = (number: number): number => Math.floor(number / numbersInMs)

/** In the place of a lane: the last number of a unit that ran without others. No lane has a smaller one from then on. */
const allLanes = -1

/**
 * Gives a unit the next number of all lanes that its transaction holds, which is taken once the unit records its first
 * change (`keepNumber`): units of a lane follow one another, so that no other gets it. `nowMs` is the present time; after the
 * wall clock was set back, the unit gets the time of the last one.
 */
export async function takeChange(tx: Tx, nowMs: number): Promise<Change> {
  const { last, lanes } = await readLasts(tx)
  const number = Math.max(last + 1, lowestNumberAt(nowMs))
  const atMs = timeOfNumber(number)
  const isSetBack = atMs - nowMs > usualLagMs
  return { number, lanes, atMs, createdMs: isSetBack ? nowMs : atMs, nowMs, rows: 0, ids: 0 }
}

interface LastOfAll {
  last: number
  lowest: number | null
  highest: number | null
}

async function readLastOfAll(db: Db | Tx): Promise<LastOfAll> {
  const [row] = await selectEach<{ [name in keyof LastOfAll]: number | null }>(db, lastOfAll, [[allLanes]])
  return { lowest: null, highest: null, ...row, last: row?.last ?? 0 }
}

interface LastRow {
  lane: number
  last_change: number
}

const lastOfLane = {
  sql: 'select lane, last_change from change_lanes where lane = :lane',
  inputs: ['lane'],
  few: true,
  lanes: 'own',
} as const

/** The greatest number, and the smallest and the greatest lane that have one; `allLanes` is smaller than any. */
const lastOfAll = {
  sql: 'select max(last_change) as last, min(lane) as lowest, max(lane) as highest from change_lanes where lane >= :lane',
  inputs: ['lane'],
  few: true,
} as const

/** Returns the greatest last number of the lanes that are held, and which of those that a unit may raise have one. */
async function readLasts(tx: Tx): Promise<{ last: number; lanes: Map<number, boolean> }> {
  const held = lanesHeld(tx)
  if (held === null) {
    const { last, lowest } = await readLastOfAll(tx)
    return { last, lanes: new Map([[allLanes, lowest === allLanes]]) }
  }
  const rows = await selectEach<LastRow & Record<string, number>>(tx, lastOfLane, [
    [allLanes],
    ...held.lanes.map((lane) => [lane]),
  ])
  const known = new Map(rows.map(({ lane, last_change }) => [lane, last_change]))
  return {
    last: Math.max(0, ...known.values()),
    lanes: new Map(held.lanes.map((lane) => [lane, known.has(lane)])),
  }
}

/** Stores the number of a unit as the last one of the lanes of these accounts, or of all lanes where it holds all. */
export async function keepNumber(tx: Tx, change: Change, accountIds: readonly string[]): Promise<void> {
  if (accountIds.length === 0) return
  const { number, lanes, atMs, createdMs, nowMs } = change
  const named = lanesHeld(tx) === null ? [allLanes] : lanesOfAccounts(accountIds)
  const raised = named.filter((lane) => lanes.has(lane))
  if (raised.length === 0) return
  const [fresh = [], stored = []] = [false, true].map((isStored) =>
    raised.filter((lane) => lanes.get(lane) === isStored).map((lane) => ({ lane, last_change: number })),
  )
  for (const lane of raised) lanes.delete(lane)
  const [inserted] = await allDone([
    insertRows(tx, 'change_lanes', fresh, 'ignore'),
    updateRows(tx, 'change_lanes', ['lane'], stored),
  ])
  // Another change of this transaction may have stored its number since.
  if (inserted < fresh.length) await updateRows(tx, 'change_lanes', ['lane'], fresh)
  if (createdMs < atMs) await recordLag(tx, atMs - nowMs)
}

/**
 * Records that the clock was set back: IDs of new messages are so far ahead of their `created_at`. That is one number for all
 * accounts, so a unit with lanes reads first whether it is known: while the clock catches up it stays.
 */
async function recordLag(tx: Tx, lagMs: number): Promise<void> {
  if (lanesHeld(tx) !== null) {
    const [row] = await selectEach<{ clock_lag_ms: number }>(tx, clockLag, [[1]])
    if (row !== undefined && row.clock_lag_ms >= lagMs) return
  }
  await tx
    .updateTable('instance')
    .set({ clock_lag_ms: lagMs })
    .where('id', '=', 1)
    .where('clock_lag_ms', '<', lagMs)
    .execute()
}

const clockLag = {
  sql: 'select clock_lag_ms from instance where id = :id',
  inputs: ['id'],
  lanes: 'fixed',
} as const

/** Returns how far IDs of messages may be ahead of their `created_at`. */
export async function readClockLag(db: Db): Promise<number> {
  const row = await db.selectFrom('instance').select('clock_lag_ms').where('id', '=', 1).executeTakeFirst()
  return row?.clock_lag_ms ?? 0
}

/** Gives a unit its number when it is first needed. */
export type TakeChange = () => Promise<Change>

/** Creates the `TakeChange` of one unit. */
export function changeOnDemand(tx: Tx, nowMs: number): TakeChange {
  let taken: Promise<Change> | null = null
  return () => (taken ??= takeChange(tx, nowMs))
}

/** Returns the number of the last unit that is committed of an account's messages, or of those of a lane that it shares; 0 before the first one. */
export async function readLastChange(db: Db, accountId: string): Promise<number> {
  const row = await db
    .selectFrom('change_lanes')
    .select(({ fn }) => fn.max('last_change').as('last'))
    .where('lane', 'in', [allLanes, laneOf(accountId)])
    .executeTakeFirst()
  return row?.last ?? 0
}

/** Returns what `readLastChange` does, from all rows of `change_lanes`. */
export function lastOfLanes(rows: readonly LastRow[]): (accountId: string) => number {
  const lasts = new Map(rows.map(({ lane, last_change }) => [lane, last_change]))
  return (accountId) => Math.max(lasts.get(allLanes) ?? 0, lasts.get(laneOf(accountId)) ?? 0)
}

/** Returns a text that is another one once a unit has changed a message: the sum of all last numbers, which is too large for a number. */
export async function readChangeMark(db: Db): Promise<string> {
  const row = await db
    .selectFrom('change_lanes')
    .select(sql<string>`cast(coalesce(sum(last_change), 0) as text)`.as('mark'))
    .executeTakeFirstOrThrow()
  return row.mark
}

/**
 * Returns the last number of any lane, which is from now on that of all: later ones are greater, for every account. Writes only where
 * lanes had numbers of their own.
 */
export async function joinLanes({
  read,
  writer,
}: {
  read: Db
  writer: Pick<Writer, 'write'>
}): Promise<number> {
  const { last, highest } = await readLastOfAll(read)
  if (highest === null || highest === allLanes) return last
  return writer.write(async (tx) => {
    const all = await readLastOfAll(tx)
    await tx.deleteFrom('change_lanes').execute()
    await insertRows(tx, 'change_lanes', [{ lane: allLanes, last_change: all.last }])
    return all.last
  })
}

/** The place of the first of several new messages of a unit. */
export interface StampPlace {
  number: number
  index: number
  createdMs: number
  nowMs: number
}

/** Takes the next places of a unit for new messages. */
export function takePlaces(unit: Change, messages: number): StampPlace {
  const { number, createdMs, nowMs } = unit
  const place = { number, index: unit.ids, createdMs, nowMs }
  unit.ids += messages
  return place
}

/**
 * Gives new messages IDs in the order of commits, so that a page in the order of IDs never misses one that is
 * committed later. `ids` give the random part.
 */
export const stampIds = (
  ids: readonly string[],
  { number, index }: Pick<StampPlace, 'number' | 'index'>,
): string[] =>
  ids.map((id, i) =>
    stampedId(id, { atMs: timeOfNumber(number), tick: number % numbersInMs, index: index + i }),
  )
