import type { Health } from '../health.ts'
import type { ModemSession } from './run/modem-session.ts'

interface Facts {
  phase: 'new' | 'running' | 'stopping'
  session: Pick<ModemSession, 'channel' | 'isOpen' | 'canSend' | 'reasons' | 'network' | 'detail'> | null
  /** Whether nothing is sent for a while although the modem is there, and why; or what else is wrong with its messages. */
  rest: { isResting: boolean; reason: string | null }
  /** Of a prepaid SIM; null while unknown. */
  credit: Health['credit'] | null
  lastSeenAt: number | null
  nowMs: number
}

/**
 * Returns the health of a modem: online when it can send, degraded when something is wrong beyond that, offline
 * when nothing can be sent.
 */
export function healthOf({ phase, session, rest, credit, lastSeenAt, nowMs }: Facts): Health {
  const isThere = phase === 'running' && (session?.channel ?? null) !== null
  const reasons = [...(rest.reason === null ? [] : [rest.reason]), ...(session?.reasons ?? [])]
  const canSend = isThere && session?.canSend === true && !rest.isResting
  const isFirst =
    phase === 'new' || (phase === 'running' && lastSeenAt === null && reasons[0] === 'connecting')
  return {
    status: canSend ? (reasons.length === 0 ? 'online' : 'degraded') : isFirst ? 'pending' : 'offline',
    reasons: phase === 'stopping' ? [] : reasons,
    ...(isThere && !canSend && { cannotSend: true as const }),
    // An open port cannot be opened a second time, for a test.
    link: session?.isOpen === true ? 'session' : 'none',
    lastSeenAt: isThere ? nowMs : lastSeenAt,
    nextContactExpectedBy: null,
    appVersion: null,
    battery: null,
    network: session?.network ?? null,
    sims: [],
    lastError: session?.detail ?? null,
    ...(credit && { credit }),
  }
}
