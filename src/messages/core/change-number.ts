import { stampedId } from '../../runtime/ids.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { selectEach, updateRows } from '../../storage/seam/sets.ts'

/**
 * The place of one unit in the order of all changes of messages. Units that write messages follow one another,
 * and each takes its number inside its transaction, so that numbers are in the order of commits: a reader
 * of all changes up to a number never misses a smaller one. A unit that changes no message takes none, and writes
 * nothing.
 */
export interface Change {
  /** Microseconds since 1970 UTC: the time of the unit, or one more than the last number. */
  number: number
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
export const numbersInMs = 1_000

/** Returns the smallest number of a time in milliseconds. */
export const lowestNumberAt = (atMs: number): number => atMs * numbersInMs

/** Returns the time of a number in milliseconds. */
export const timeOfNumber = (number: number): number => Math.floor(number / numbersInMs)

/**
 * Gives a unit the next number, which is taken once the unit records its first change (`keepNumber`): units follow one
 * another, so that no other gets it. `nowMs` is the present time; after the wall clock was set back, the unit gets the
 * time of the last one. Before the first start of a server there is no message, and nothing is numbered.
 */
export async function takeChange(tx: Tx, nowMs: number): Promise<Change> {
  const number = Math.max((await readLastChange(tx)) + 1, lowestNumberAt(nowMs))
  const atMs = timeOfNumber(number)
  const isSetBack = atMs - nowMs > usualLagMs
  return { number, atMs, createdMs: isSetBack ? nowMs : atMs, nowMs, rows: 0, ids: 0 }
}

/** Stores the number of a unit as the last one. */
export async function keepNumber(tx: Tx, { number, atMs, createdMs, nowMs }: Change): Promise<void> {
  await updateRows(tx, 'instance', ['id'], [{ id: 1, last_change: number }])
  if (createdMs < atMs) await recordLag(tx, atMs - nowMs)
}

/** Records that the clock was set back: IDs of new messages are so far ahead of their `created_at`. */
async function recordLag(tx: Tx, lagMs: number): Promise<void> {
  await tx
    .updateTable('instance')
    .set({ clock_lag_ms: lagMs })
    .where('id', '=', 1)
    .where('clock_lag_ms', '<', lagMs)
    .execute()
}

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

const lastChange = {
  sql: 'select last_change from instance where id = :id',
  inputs: ['id'],
  few: true,
} as const

/** Returns the number of the last unit that is committed; 0 before the first one. */
export async function readLastChange(db: Db): Promise<number> {
  const [row] = await selectEach<{ last_change: number }>(db, lastChange, [[1]])
  return row?.last_change ?? 0
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
