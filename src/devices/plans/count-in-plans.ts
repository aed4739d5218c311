import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import {
  addToRows,
  adjustRows,
  deleteRows,
  insertRows,
  selectEach,
  updateRows,
} from '../../storage/seam/sets.ts'
import type { SimNumberTable, SimUsageTable } from '../../storage/tables/device-tables.ts'
import type { PlanCounts } from '../../storage/tables/json-columns.ts'
import { monthOf } from './plan-days.ts'

/** A number of a SIM, and how many attempts to it count. */
export type CountedNumber = SimNumberTable

const numberKey = ['device_id', 'sim', 'number_key'] as const
const usageKey = ['device_id', 'sim', 'day'] as const
const usageAmounts = ['parts', 'messages', 'numbers'] as const

const countedNumber = {
  sql: 'select device_id, sim, number_key, day, messages from sim_numbers where device_id = :device and sim = :sim and number_key = :number',
  inputs: ['device', 'sim', 'number'],
} as const

/** Reads what is known of these numbers. */
export const readNumbers = (
  tx: Tx,
  asked: readonly (readonly [deviceId: string, sim: number, numberKey: string])[],
): Promise<CountedNumber[]> =>
  selectEach<CountedNumber>(
    tx,
    countedNumber,
    asked.map((each) => [...each]),
  )

const numbersOfMonth = {
  sql: 'select device_id, sim, number_key, day, messages from sim_numbers where device_id = :device and sim = :sim and day >= :from',
  inputs: ['device', 'sim', 'from'],
} as const

/** Reads all numbers that these SIMs have counted since a day. */
export const readMonth = (
  tx: Tx,
  asked: readonly (readonly [deviceId: string, sim: number, from: number])[],
): Promise<CountedNumber[]> =>
  selectEach<CountedNumber>(
    tx,
    numbersOfMonth,
    asked.map((each) => [...each]),
  )

/** What is added to the use of a SIM on one day. */
export type DayUse = SimUsageTable

/** Adds up what has the same key: a statement may change a row once. */
function summed(uses: readonly DayUse[]): DayUse[] {
  const sums = new Map<string, DayUse>()
  for (const use of uses) {
    const name = `${use.device_id}/${use.sim}/${use.day}`
    const sum = sums.get(name)
    if (sum === undefined) sums.set(name, { ...use })
    else for (const amount of usageAmounts) sum[amount] += use[amount]
  }
  return [...sums.values()]
}

/**
 * Counts new attempts: their days, and their numbers, of which `outdated` were last counted in an earlier month. All in the
 * transaction of the claim, so that no crash and no other node counts one twice or not at all.
 */
export async function countInPlans(
  tx: Tx,
  uses: readonly DayUse[],
  numbers: { added: readonly CountedNumber[]; outdated: readonly CountedNumber[] },
): Promise<void> {
  await allDone([
    addToRows(tx, 'sim_usage', { key: usageKey, amounts: usageAmounts }, summed(uses)),
    deleteRows(tx, 'sim_numbers', numberKey, numbers.outdated),
    addToRows(tx, 'sim_numbers', { key: numberKey, amounts: ['messages'], lowest: ['day'] }, numbers.added),
  ])
}

/** How the count of one attempt changes with its outcome. */
export interface CountChange {
  deviceId: string
  counts: PlanCounts
  parts: number
  /** -1: it was certainly not sent; 1: it was after all; 0: it counts as before. */
  messages: -1 | 0 | 1
}

/**
 * Changes the count of attempts whose outcomes are known now: what was certainly not sent is returned to its plans, on the
 * days that counted it. Rows that retention has removed stay away.
 */
export async function correctPlans(tx: Tx, changes: readonly CountChange[]): Promise<void> {
  if (changes.length === 0) return
  const uses = changes.flatMap(({ deviceId, counts, parts, messages }) =>
    counts.on.map(([sim, day]) => ({ device_id: deviceId, sim, day, parts, messages, numbers: 0 })),
  )
  const numbers = await correctNumbers(tx, changes)
  await adjustRows(tx, 'sim_usage', { key: usageKey, amounts: usageAmounts }, summed([...uses, ...numbers]))
}

/** Returns on which days a number is new, or no longer. */
async function correctNumbers(tx: Tx, changes: readonly CountChange[]): Promise<DayUse[]> {
  const moved = changes.flatMap(({ deviceId, counts: { number, on }, messages }) =>
    number === null || messages === 0
      ? []
      : on.map(([sim, day]) => ({ device_id: deviceId, sim, number_key: number, day, messages })),
  )
  if (moved.length === 0) return []
  const known = new Map(
    (await readNumbers(tx, [...new Map(moved.map((each) => [nameOf(each), askedOf(each)])).values()])).map(
      (row) => [nameOf(row), row],
    ),
  )
  const before = new Set(known.keys())
  const apartOf = await monthsApart(tx, moved, known)
  const uses: DayUse[] = []
  for (const { messages, ...each } of moved) {
    const row = known.get(nameOf(each))
    const apart = row === undefined || row.messages === 0 ? 0 : apartOf(row, each)
    // A later month counts the number by now; and a row that is newer than the attempt does not count it.
    if (apart > 0 || (messages === -1 && row !== undefined && row.day > each.day)) continue
    const held = apart < 0 ? 0 : (row?.messages ?? 0)
    const sum = held + messages
    if (sum < 0) continue
    const day = row !== undefined && held > 0 ? row.day : each.day
    known.set(nameOf(each), { ...each, day, messages: sum })
    const numbers = sum === 0 ? -1 : held === 0 ? 1 : 0
    if (numbers !== 0)
      uses.push({ device_id: each.device_id, sim: each.sim, day, parts: 0, messages: 0, numbers })
  }
  const rows = [...known.values()]
  const wasThere = (row: CountedNumber): boolean => before.has(nameOf(row))
  await allDone([
    deleteRows(
      tx,
      'sim_numbers',
      numberKey,
      rows.filter((row) => row.messages === 0 && wasThere(row)),
    ),
    updateRows(
      tx,
      'sim_numbers',
      numberKey,
      rows.filter((row) => row.messages > 0 && wasThere(row)),
    ),
    insertRows(
      tx,
      'sim_numbers',
      rows.filter((row) => row.messages > 0 && !wasThere(row)),
    ),
  ])
  return uses
}

const monthStarts = {
  sql: 'select device_id, sim, month_starts from sim_plans where device_id = :device and sim = :sim',
  inputs: ['device', 'sim'],
} as const

type Place = Pick<CountedNumber, 'device_id' | 'sim' | 'day'>

/**
 * Returns how the month of one day lies to that of another one of the same SIM: 0 if it is the same, below 0 if it is an earlier
 * one. Reads plans only if the days of a number differ.
 */
async function monthsApart(
  tx: Tx,
  moved: readonly Omit<CountedNumber, 'messages'>[],
  known: ReadonlyMap<string, CountedNumber>,
): Promise<(one: Place, other: Place) => number> {
  const firstDays = new Map([...moved, ...known.values()].map((each) => [nameOf(each), each.day]))
  const apart = moved.filter((each) => firstDays.get(nameOf(each)) !== each.day)
  const sims = new Map(apart.map(({ device_id, sim }) => [`${device_id}/${sim}`, [device_id, sim] as const]))
  const rows = await selectEach<{ device_id: string; sim: number; month_starts: number }>(
    tx,
    monthStarts,
    [...sims.values()].map((each) => [...each]),
  )
  const starts = new Map(rows.map((row) => [`${row.device_id}/${row.sim}`, row.month_starts]))
  const monthBegin = ({ device_id, sim, day }: Place): number =>
    monthOf(day, starts.get(`${device_id}/${sim}`) ?? 1).from
  return (one, other) => (one.day === other.day ? 0 : monthBegin(one) - monthBegin(other))
}

const nameOf = ({ device_id, sim, number_key }: Omit<CountedNumber, 'day' | 'messages'>): string =>
  `${device_id}/${sim}/${number_key}`

const askedOf = ({ device_id, sim, number_key }: Omit<CountedNumber, 'day' | 'messages'>) =>
  [device_id, sim, number_key] as const
