import { maxPartsOfMessage } from '../../devices/core/carrying.ts'
import { dateOf, dayIn } from '../../devices/plans/plan-days.ts'
import { type PlanView, readPlanViews } from '../../devices/plans/plan-view.ts'
import { type AuditCheck, maxViolations } from '../../ledger/ledger-audit.ts'

/** Invariants of what SIM plans count. */
export const planChecks: readonly AuditCheck[] = [
  {
    name: 'plans_not_over',
    summary:
      'No SIM has used more of its plan than it includes, or less than nothing, except for a message that was reported as sent after it had failed. A plan that was changed this month is not checked.',
    async find(db, { nowMs }) {
      const [views, rows] = await Promise.all([
        readPlanViews(db, undefined, nowMs),
        db.selectFrom('sim_plans').select(['device_id', 'sim', 'updated_at']).execute(),
      ])
      const changedAt = new Map(rows.map((row) => [`${row.device_id}/${row.sim}`, row.updated_at]))
      return views
        .filter((view) => {
          const changedOn = dayIn(view.zone, changedAt.get(`${view.deviceId}/${view.sim}`) ?? nowMs)
          return dateOf(changedOn) < view.monthFrom && isWrong(view)
        })
        .slice(0, maxViolations)
        .map(({ deviceId, sim, partsToday, partsThisMonth, numbersThisMonth }) => ({
          device_id: deviceId,
          sim,
          parts_today: partsToday,
          parts_this_month: partsThisMonth,
          numbers_this_month: numbersThisMonth,
        }))
    },
  },
]

function isWrong(view: PlanView): boolean {
  const uses = [
    [view.partsToday, view.partsPerDay, maxPartsOfMessage],
    [view.partsThisMonth, view.partsPerMonth, maxPartsOfMessage],
    [view.numbersThisMonth, view.numbersPerMonth, 1],
  ] as const
  return uses.some(([used, limit, late]) => used < 0 || used > (limit ?? Infinity) + late)
}
