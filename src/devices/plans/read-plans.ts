import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { SimPlanTable } from '../../storage/tables/device-tables.ts'
import { planDays, type PlanUsage, type SimPlan } from './sim-plan.ts'

/** Reads the plans of some devices, or of all. */
export async function readPlans(db: Db | Tx, deviceIds?: readonly string[]): Promise<SimPlan[]> {
  if (deviceIds?.length === 0) return []
  const query = db.selectFrom('sim_plans').selectAll().orderBy('device_id').orderBy('sim')
  const rows = await (deviceIds === undefined ? query : query.where('device_id', 'in', deviceIds)).execute()
  return rows.map(planOf)
}

const planOf = (row: Selectable<SimPlanTable>): SimPlan => ({
  deviceId: row.device_id,
  sim: row.sim,
  partsPerDay: row.parts_per_day,
  partsPerMonth: row.parts_per_month,
  numbersPerMonth: row.numbers_per_month,
  monthStarts: row.month_starts,
  zone: row.zone,
})

const usageOf = {
  sql: `select :device as device_id, :sim as sim, cast(coalesce(sum(case when day = :day then parts else 0 end), 0) as bigint) as parts_today,
          cast(coalesce(sum(parts), 0) as bigint) as parts_this_month, cast(coalesce(sum(numbers), 0) as bigint) as numbers_this_month
        from sim_usage where device_id = :device and sim = :sim and day >= :from`,
  inputs: ['device', 'sim', 'day', 'from'],
} as const

interface UsageRow extends Record<string, string | number | null> {
  device_id: string
  sim: number
  parts_today: number
  parts_this_month: number
  numbers_this_month: number
}

/** Reads what was used of each plan in its day and month of now, in their order. */
export async function readUsage(db: Db | Tx, plans: readonly SimPlan[], nowMs: number): Promise<PlanUsage[]> {
  const days = plans.map((plan) => planDays(plan, nowMs))
  const rows = await selectEach<UsageRow>(
    db,
    usageOf,
    plans.map(({ deviceId, sim }, i) => [deviceId, sim, days[i]?.day ?? 0, days[i]?.from ?? 0]),
  )
  return rows.map((row, i) => ({
    deviceId: row.device_id,
    sim: row.sim,
    day: days[i]?.day ?? 0,
    partsToday: row.parts_today,
    partsThisMonth: row.parts_this_month,
    numbersThisMonth: row.numbers_this_month,
  }))
}
