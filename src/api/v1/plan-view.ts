import { Type } from 'typebox'
import type { PlanView } from '../../devices/plans/plan-view.ts'
import { orNull } from '../../runtime/schemas.ts'

const used = (description: string) => Type.Integer({ minimum: 0, description })
const limit = (description: string) => orNull<number>('integer', `${description}; null without a limit.`)
const date = (description: string) => Type.String({ format: 'date', description })

export const PlanSchema = Type.Object({
  sim: Type.Integer({ description: 'SIM slot, from 1.' }),
  parts_per_day: limit('Maximum parts per day'),
  parts_today: used('Parts counted today.'),
  parts_per_month: limit('Maximum parts per month'),
  parts_this_month: used('Parts counted this month.'),
  numbers_per_month: limit('Maximum different numbers per month'),
  numbers_this_month: used('Different numbers counted this month.'),
  zone: Type.String({ description: 'Time zone of its days.' }),
  month_from: date('First day of its current month.'),
  month_until: date('Last day of its current month.'),
  reached_on: orNull<string>('string', 'Date on which a limit is reached at the rate of the last 7 days; null when none is reached this month.'),
}) // prettier-ignore

/** Renders a SIM plan for the API and the command line. */
export const renderPlan = (view: PlanView) => ({
  sim: view.sim,
  parts_per_day: view.partsPerDay,
  parts_today: view.partsToday,
  parts_per_month: view.partsPerMonth,
  parts_this_month: view.partsThisMonth,
  numbers_per_month: view.numbersPerMonth,
  numbers_this_month: view.numbersThisMonth,
  zone: view.zone,
  month_from: view.monthFrom,
  month_until: view.monthUntil,
  reached_on: view.reachedOn,
})
