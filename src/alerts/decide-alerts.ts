import type { AlertKind } from '../storage/tables/operator-tables.ts'
import { alertKey, type Condition } from './condition.ts'

/** An alert that is open, or ended recently. */
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
 * Decides which alerts begin and end. A condition begins an alert unless one with the same key is open, or
 * ended within the cool-down. A condition that comes and goes begins again after the cool-down, if it still
 * lasts then. An alert ends when its condition no longer holds.
 */
export function decideAlerts<A extends KnownAlert>(
  conditions: readonly Condition[],
  known: readonly A[],
  { nowMs, coolDownMs }: { nowMs: number; coolDownMs: number },
): AlertDecision<A> {
  const holding = new Map(conditions.map((condition) => [alertKey(condition), condition]))
  const open = known.filter(({ endedAt }) => endedAt === null)
  // An alert that ended further in the future ended while the clock was ahead; it would otherwise block until
  // that time comes.
  const coolingDown = known.filter(
    ({ endedAt }) => endedAt !== null && Math.abs(nowMs - endedAt) < coolDownMs,
  )
  const silent = new Set([...open, ...coolingDown].map(alertKey))
  return {
    begin: [...holding].flatMap(([key, condition]) => (silent.has(key) ? [] : [condition])),
    end: open.filter((alert) => !holding.has(alertKey(alert))),
  }
}
