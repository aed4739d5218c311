import type { Health } from '../health.ts'
import type { BindingState } from './session/binding.ts'
import type { Role } from './session/bindings.ts'
import type { SessionEnd } from './session/session-events.ts'

interface Facts {
  states: readonly { role: Role; state: BindingState }[]
  isStopped: boolean
  isThrottled: boolean
  nowMs: number
  lastSeenAt: number | null
}

/**
 * Every reason that a link reports for its state. The remedies are in `src/connectors/smpp/facts.ts` and
 * `src/connectors/device-remedies.ts`.
 */
export type LinkReason = SessionEnd['kind'] | 'bind_postponed' | 'connecting' | 'throttled' | 'receives_only'

/**
 * Returns the health of a link: online when all of its sessions are bound, degraded when it can still submit
 * and something is wrong.
 */
export function healthOf(facts: Facts): Health {
  const { states, isStopped, isThrottled, nowMs, lastSeenAt } = facts
  const bound = states.filter(({ state }) => state.kind === 'bound')
  const canSubmit = bound.some(({ role }) => role !== 'receiver')
  const missing = states.filter(({ state }) => state.kind !== 'bound')
  const reasons: LinkReason[] = [
    ...missing.map(({ state }) => reasonOf(state)),
    ...(isThrottled ? (['throttled'] as const) : []),
    ...(states.every(({ role }) => role === 'receiver') && !isStopped ? (['receives_only'] as const) : []),
  ]
  const isWhole = missing.length === 0 && !isThrottled
  const neverTried = states.every(({ state }) => state.lastEnd === null) && bound.length === 0
  return {
    status: canSubmit ? (isWhole ? 'online' : 'degraded') : !isStopped && neverTried ? 'pending' : 'offline',
    reasons: [...new Set(reasons)],
    link: bound.length > 0 ? 'session' : 'none',
    lastSeenAt: canSubmit ? nowMs : lastSeenAt,
    nextContactExpectedBy: null,
    appVersion: null,
    battery: null,
    network: null,
    sims: [],
    lastError: missing.map(({ state }) => describeEnd(state.lastEnd)).find((text) => text !== null) ?? null,
  }
}

/** A recreated link may have to wait although none of its own sessions has ended. */
function reasonOf({ kind, lastEnd }: BindingState): LinkReason {
  if (lastEnd === null) return kind === 'waiting' ? 'bind_postponed' : 'connecting'
  return lastEnd.kind
}

/** Describes why a session ended, for people. */
function describeEnd(end: SessionEnd | null): string | null {
  if (end === null) return null
  const status =
    end.kind === 'bind_refused' ? ` (command_status 0x${end.status.toString(16).padStart(8, '0')})` : ''
  return `${end.kind}: ${end.detail}${status}`
}
