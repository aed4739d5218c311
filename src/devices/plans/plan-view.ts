import type { Db } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { dateOf, monthOf } from './plan-days.ts'
import { planDays, type SimPlan } from './sim-plan.ts'
import { readPlans } from './read-plans.ts'

/** A SIM plan as people see it: its limits, what was used, and when it will be used up. */
export interface PlanView extends SimPlan {
  partsToday: number
  partsThisMonth: number
  numbersThisMonth: number
  /** First and last day of its current month, as dates. */
  monthFrom: string
  monthUntil: string
  /**
   * The date on which a limit is reached at the present rate, today if one is. Null: none is in this month, or the rate is
   * unknown.
   */
  reachedOn: string | null
}

/** A week evens out its days, and still follows a change within days. */
const rateDays = 7

export interface UsedDay {
  day: number
  parts: number
  numbers: number
}

const daysOf = {
  sql: `select device_id, sim, day, parts, numbers from sim_usage where device_id = :device and sim = :sim and day >= :from order by day`,
  inputs: ['device', 'sim', 'from'],
} as const

/** Reads the plans of these devices, in the order of their SIMs: one statement for all, and a second one if there are any. */
export async function readPlanViews(
  db: Db,
  deviceIds: readonly string[] | undefined,
  nowMs: number,
): Promise<PlanView[]> {
  const plans = await readPlans(db, deviceIds)
  const rows = await selectEach<UsedDay & { device_id: string; sim: number }>(
    db,
    daysOf,
    plans.map((plan) => {
      const { day, from } = planDays(plan, nowMs)
      return [plan.deviceId, plan.sim, Math.min(from, day - rateDays)]
    }),
  )
  const byPlan = Map.groupBy(rows, ({ device_id, sim }) => `${device_id}/${sim}`)
  return plans.map((plan) => planView(plan, byPlan.get(`${plan.deviceId}/${plan.sim}`) ?? [], nowMs))
}

/** Returns a plan with what its days say. `days` are those with usage, in order, since its month began and for a week. */
export function planView(plan: SimPlan, days: readonly UsedDay[], nowMs: number): PlanView {
  const { day } = planDays(plan, nowMs)
  const month = monthOf(day, plan.monthStarts)
  const since = (from: number, amount: 'parts' | 'numbers'): number =>
    days.filter((each) => each.day >= from).reduce((sum, each) => sum + each[amount], 0)
  const used = {
    partsToday: since(day, 'parts'),
    partsThisMonth: since(month.from, 'parts'),
    numbersThisMonth: since(month.from, 'numbers'),
  }
  const reached = [
    plan.partsPerDay !== null && used.partsToday >= plan.partsPerDay ? day : null,
    reachedOn(plan.partsPerMonth, used.partsThisMonth, rateOf(days, day, 'parts'), day),
    reachedOn(plan.numbersPerMonth, used.numbersThisMonth, rateOf(days, day, 'numbers'), day),
  ].filter((each) => each !== null && each < month.until) as number[]
  return {
    ...plan,
    ...used,
    monthFrom: dateOf(month.from),
    monthUntil: dateOf(month.until - 1),
    reachedOn: reached.length === 0 ? null : dateOf(Math.min(...reached)),
  }
}

/** The mean of the last whole days, beginning with the first one that has usage; null before one has ended. */
function rateOf(days: readonly UsedDay[], today: number, amount: 'parts' | 'numbers'): number | null {
  const first = days[0]?.day ?? today
  const from = Math.max(first, today - rateDays)
  if (from >= today) return null
  const sum = days
    .filter((each) => each.day >= from && each.day < today)
    .reduce((total, each) => total + each[amount], 0)
  return sum / (today - from)
}

function reachedOn(limit: number | null, used: number, rate: number | null, today: number): number | null {
  if (limit === null) return null
  if (used >= limit) return today
  return rate === null || rate === 0 ? null : today + Math.floor((limit - used) / rate)
}

/** Returns the earliest date on which one of the plans is reached. */
export const firstReached = (plans: readonly PlanView[]): string | null =>
  plans
    .flatMap(({ reachedOn: on }) => on ?? [])
    .toSorted()
    .at(0) ?? null
