import { type Fault, refuse } from '../../runtime/errors.ts'
import type { Ids } from '../../runtime/ids.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import { isZone } from '../plans/plan-days.ts'
import { readPlans } from '../plans/read-plans.ts'
import type { SimPlan } from '../plans/sim-plan.ts'
import { maxPartsOfMessage } from './carrying.ts'
import { simSlots } from './sim-number.ts'

/** More than the contract of a person includes; above it a device needs no plan. */
const maxParts = 10_000_000
/** A device at its limit reads all of them once a second. */
const maxNumbers = 10_000

/** What is given changes; null removes a limit. */
export interface PlanChange extends Partial<Omit<SimPlan, 'deviceId' | 'sim'>> {
  deviceId: string
  sim: number
  /** For a new plan that is given none. */
  zoneIfNew: string
  actor: string
}

/**
 * Sets what the contract of a SIM includes, and returns it. What was used of it before is not counted. Rejects unknown
 * devices, a plan without any limit, and limits that no message fits.
 */
export async function setPlan(
  tx: Tx,
  deps: { ids: Ids; nowMs: number },
  { deviceId, sim, zoneIfNew, actor, ...change }: PlanChange,
): Promise<SimPlan> {
  const accountId = await ownerOf(tx, deviceId)
  const before = (await readPlans(tx, [deviceId])).find((plan) => plan.sim === sim)
  const none = {
    partsPerDay: null,
    partsPerMonth: null,
    numbersPerMonth: null,
    monthStarts: 1,
    zone: zoneIfNew,
  }
  const plan: SimPlan = { ...none, ...before, ...change, deviceId, sim }
  const faults = faultsOf(plan)
  if (faults.length > 0) throw invalidInput(faults)
  const row = {
    parts_per_day: plan.partsPerDay,
    parts_per_month: plan.partsPerMonth,
    numbers_per_month: plan.numbersPerMonth,
    month_starts: plan.monthStarts,
    zone: plan.zone,
    updated_at: deps.nowMs,
  }
  await tx
    .insertInto('sim_plans')
    .values({ device_id: deviceId, sim, created_at: deps.nowMs, ...row })
    .onConflict((conflict) => conflict.columns(['device_id', 'sim']).doUpdateSet(row))
    .execute()
  await appendAudit(tx, deps, { accountId, actor, action: 'device.plan_set', detail: { ...plan } })
  await touchDirectory(tx)
  return plan
}

/** Removes the plan of a SIM with its counts. Returns false if it had none. Rejects unknown devices. */
export async function removePlan(
  tx: Tx,
  deps: { ids: Ids; nowMs: number },
  { deviceId, sim, actor }: { deviceId: string; sim: number; actor: string },
): Promise<boolean> {
  const accountId = await ownerOf(tx, deviceId)
  const plans = (await readPlans(tx, [deviceId])).filter((plan) => plan.sim === sim)
  if (plans.length === 0) return false
  for (const table of ['sim_plans', 'sim_usage', 'sim_numbers'] as const)
    await tx.deleteFrom(table).where('device_id', '=', deviceId).where('sim', '=', sim).execute()
  await appendAudit(tx, deps, { accountId, actor, action: 'device.plan_removed', detail: { deviceId, sim } })
  await touchDirectory(tx)
  return true
}

async function ownerOf(tx: Tx, deviceId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('devices')
    .select('account_id')
    .where('id', '=', deviceId)
    .where('state', '!=', 'retired')
    .executeTakeFirst()
  if (row === undefined) throw refuse('not_found', { detail: `Device ${deviceId} not found.` })
  return row.account_id
}

function faultsOf(plan: SimPlan): Fault[] {
  const { sim, partsPerDay, partsPerMonth, numbersPerMonth, monthStarts, zone } = plan
  const isWithin = (value: number, least: number, most: number): boolean =>
    Number.isInteger(value) && value >= least && value <= most
  const fault = (pointer: string, detail: string): Fault => ({ pointer, code: 'out_of_range', detail })
  const parts = (pointer: string, name: string, value: number | null): Fault[] =>
    value === null || isWithin(value, maxPartsOfMessage, maxParts)
      ? []
      : [fault(pointer, `${name} must be from ${maxPartsOfMessage}, the parts of the longest message, to ${maxParts}.`)] // prettier-ignore
  return [
    ...(simSlots.includes(sim) ? [] : [fault('/sim', `The SIM must be a slot: ${simSlots.join(', ')}.`)]),
    ...parts('/parts_per_day', 'Parts per day', partsPerDay),
    ...parts('/parts_per_month', 'Parts per month', partsPerMonth),
    ...(numbersPerMonth === null || isWithin(numbersPerMonth, 1, maxNumbers)
      ? []
      : [fault('/numbers_per_month', `Numbers per month must be from 1 to ${maxNumbers}.`)]),
    ...(isWithin(monthStarts, 1, 31)
      ? []
      : [fault('/month_starts', 'The month must start on a day from 1 to 31.')]),
    ...(isZone(zone) ? [] : [fault('/zone', `Unknown time zone '${zone}'. Give one such as Europe/Berlin.`)]),
    ...(partsPerDay === null && partsPerMonth === null && numbersPerMonth === null
      ? [
          fault(
            '/parts_per_month',
            'A plan needs a limit of parts per day, parts per month or numbers per month.',
          ),
        ]
      : []),
  ]
}
