import type { AlertKind } from '../storage/tables/operator-tables.ts'
import { alertKey, type Condition } from './condition.ts'

/** An alert that lasts, or ended a short while ago. */
export interface KnownAlert {
  id: string
  kind: AlertKind
  subject: string
  endedAt: number | null
}

export interface AlertDecision<A extends KnownAlert = KnownAlert> {
  begin: Condition[]
  end: A[]
}

/**
 * What begins and what ends. A condition begins an alert unless one of the same name lasts, or ended less than the cool-down ago: what comes and goes
 * begins again once it is over, if it still holds then. An alert whose condition does not hold any more ends.
 */
export function decideAlerts<A extends KnownAlert>(
  conditions: readonly Condition[],
  known: readonly A[],
  { nowMs, coolDownMs }: { nowMs: number; coolDownMs: number },
): AlertDecision<A> {
  const holding = new Map(conditions.map((condition) => [alertKey(condition), condition]))
  const open = known.filter(({ endedAt }) => endedAt === null)
  // What ended further ahead than that ended while the clock was ahead, and would rest until it is there again.
  const resting = known.filter(({ endedAt }) => endedAt !== null && Math.abs(nowMs - endedAt) < coolDownMs)
  const silent = new Set([...open, ...resting].map(alertKey))
  return {
    begin: [...holding].flatMap(([key, condition]) => (silent.has(key) ? [] : [condition])),
    end: open.filter((alert) => !holding.has(alertKey(alert))),
  }
}
