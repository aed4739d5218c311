import type { Health } from '../../connectors/health.ts'

/** The health of a device that works but is draining. */
export const drained = (health: Health): Health =>
  health.status === 'online' || health.status === 'degraded'
    ? { ...health, status: 'degraded', reasons: ['draining', ...health.reasons] }
    : health
