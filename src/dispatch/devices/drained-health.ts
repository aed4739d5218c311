import { type Health, isWorking } from '../../connectors/health.ts'

/** The health of a device that works but is draining. */
export const drained = (health: Health): Health =>
  isWorking(health) ? { ...health, status: 'degraded', reasons: ['draining', ...health.reasons] } : health

/** The health of a device with what this service knows against it; `isUnused`: nothing is sent over it. */
export function degradedBy(health: Health, reasons: readonly string[], isUnused: boolean): Health {
  if (reasons.length === 0) return health
  const degraded = health.status === 'online' ? 'degraded' : health.status
  return {
    ...health,
    status: isUnused ? 'offline' : degraded,
    reasons: [...new Set([...reasons, ...health.reasons])],
  }
}
