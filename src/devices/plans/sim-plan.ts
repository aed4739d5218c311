import { dayIn, monthOf } from './plan-days.ts'

/** What the contract of one SIM includes. Null: no limit. */
export interface SimPlan {
  deviceId: string
  /** By its slot, from 1. */
  sim: number
  partsPerDay: number | null
  partsPerMonth: number | null
  /** Different numbers: "unlimited" contracts have such limits, from 99 on. */
  numbersPerMonth: number | null
  /** The day of the month on which the month of the contract starts. */
  monthStarts: number
  /** The zone of its days. */
  zone: string
}

/** What was used of a plan until a day. */
export interface PlanUsage {
  deviceId: string
  sim: number
  day: number
  partsToday: number
  partsThisMonth: number
  numbersThisMonth: number
}

/** What a plan still includes; Infinity without a limit. Never below 0, also after a limit was lowered. */
export interface PlanLeft {
  parts: number
  numbers: number
}

export const leftOf = (
  { partsPerDay, partsPerMonth, numbersPerMonth }: SimPlan,
  { partsToday, partsThisMonth, numbersThisMonth }: Omit<PlanUsage, 'deviceId' | 'sim' | 'day'>,
): PlanLeft => ({
  parts: Math.min(rest(partsPerDay, partsToday), rest(partsPerMonth, partsThisMonth)),
  numbers: rest(numbersPerMonth, numbersThisMonth),
})

const rest = (limit: number | null, used: number): number =>
  limit === null ? Infinity : Math.max(0, limit - used)

/** Of how many parts a message may be that plans include: one to anyone, and one to a number of this month. */
export interface PlanRoom {
  any: number
  known: number
}

export const roomOf = ({ parts, numbers }: PlanLeft): PlanRoom => ({
  any: numbers === 0 ? 0 : parts,
  known: parts,
})

/**
 * Returns the plans that count what is sent over a SIM. Null: the device chooses one by itself, or has only one, so all
 * of its plans count it.
 */
export const plansOfSim = <P extends Pick<SimPlan, 'sim'>>(
  plans: readonly P[],
  sim: number | null,
): readonly P[] => (sim === null ? plans : plans.filter((plan) => plan.sim === sim))

/** Returns the room of a device that may use any of these SIMs: that of the best one, of whose plans the worst counts. */
export function roomOfSims<P extends Pick<SimPlan, 'sim'>>(
  plans: readonly P[],
  sims: readonly (number | null)[],
  roomOfPlan: (plan: P) => PlanRoom,
): PlanRoom {
  const ofSims = sims.map((sim) => plansOfSim(plans, sim).map(roomOfPlan))
  const best = (whom: keyof PlanRoom): number =>
    Math.max(0, ...ofSims.map((rooms) => Math.min(...rooms.map((room) => room[whom]))))
  return { any: best('any'), known: best('known') }
}

/** Returns today and the begin of this month for a plan. */
export function planDays({ zone, monthStarts }: SimPlan, nowMs: number): { day: number; from: number } {
  const day = dayIn(zone, nowMs)
  return { day, from: monthOf(day, monthStarts).from }
}
