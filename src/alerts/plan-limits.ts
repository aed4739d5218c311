import { minuteMs } from '../runtime/clock.ts'
import { type PlanView, readPlanViews } from '../devices/plans/plan-view.ts'
import { isOfOpenAccount } from './active-accounts.ts'
import type { AlertRule, Condition } from './condition.ts'

/** From this share of a monthly limit on, its owners are notified: a fifth is left to act. */
const nearlyUsed = 0.8

/**
 * SIM plans of which nearly all of a month is used. A daily limit is reached on busy days and is no news. It is one alert a
 * month, which ends with the month or a higher limit.
 */
export const planLimits: AlertRule = {
  kinds: ['plan_limit'],
  everyMs: 5 * minuteMs,
  async find(db, nowMs) {
    const near = (await readPlanViews(db, undefined, nowMs)).filter((view) => shareOf(view) >= nearlyUsed)
    if (near.length === 0) return []
    const devices = await db
      .selectFrom('devices')
      .select(['id', 'account_id', 'name', 'mode'])
      .where('id', 'in', [...new Set(near.map(({ deviceId }) => deviceId))])
      .where('state', '=', 'enabled')
      .where(isOfOpenAccount('devices.account_id'))
      .execute()
    const byId = new Map(devices.map((device) => [device.id, device]))
    return near.flatMap((view): Condition[] => {
      const device = byId.get(view.deviceId)
      if (device === undefined) return []
      const { account_id: accountId, mode, name } = device
      const subject = `${view.deviceId}/${view.sim}`
      return [{ kind: 'plan_limit', subject, accountId, mode, name, said: said(view) }]
    })
  },
  // A new month is no recovery.
  findRecovered: async () => new Set(),
}

/** The largest share of a monthly limit that was used. */
const shareOf = ({ partsPerMonth, partsThisMonth, numbersPerMonth, numbersThisMonth }: PlanView): number =>
  Math.max(partsThisMonth / (partsPerMonth ?? Infinity), numbersThisMonth / (numbersPerMonth ?? Infinity))

function said(view: PlanView): string {
  const of = (used: number, limit: number | null, what: string): string[] =>
    limit === null ? [] : [`${used} of ${limit} ${what}`]
  const used = [
    ...of(view.partsThisMonth, view.partsPerMonth, 'parts'),
    ...of(view.numbersThisMonth, view.numbersPerMonth, 'different numbers'),
  ].join(' and ')
  const rate = view.reachedOn === null ? '' : ` At the present rate it is reached on ${view.reachedOn}.`
  const when = shareOf(view) >= 1 ? ' It is reached.' : rate
  return `SIM ${view.sim} of the device (${view.deviceId}) has used ${used} of its plan since ${view.monthFrom}; the next month starts after ${view.monthUntil}.${when}`
}
