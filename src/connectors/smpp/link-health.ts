import type { Health } from '../connector.ts'
import type { BindingState } from './binding.ts'
import type { Role } from './bindings.ts'
import { isMisconfigured } from './reconnect-policy.ts'
import type { SessionEnd } from './session-events.ts'

interface Facts {
  states: readonly { role: Role; state: BindingState }[]
  isStopped: boolean
  isThrottled: boolean
  /** Why the link cannot even try. */
  fault: string | null
  nowMs: number
  lastSeenAt: number | null
}

/** What a link says of itself: it is online when all of its sessions are bound, degraded when it can still submit and something is wrong. */
export function healthOf(facts: Facts): Health {
  const { states, isStopped, isThrottled, fault, nowMs, lastSeenAt } = facts
  const bound = states.filter(({ state }) => state.kind === 'bound')
  const canSubmit = bound.some(({ role }) => role !== 'receiver')
  const missing = states.filter(({ state }) => state.kind !== 'bound')
  const reasons = [
    ...(fault === null ? [] : ['invalid_settings']),
    ...missing.map(({ state }) => reasonOf(state)),
    ...(isThrottled ? ['throttled'] : []),
    ...(states.every(({ role }) => role === 'receiver') && !isStopped ? ['receives_only'] : []),
  ]
  const isWhole = missing.length === 0 && !isThrottled
  const neverTried = states.every(({ state }) => state.lastEnd === null) && bound.length === 0
  return {
    status: canSubmit ? (isWhole ? 'online' : 'degraded') : !isStopped && neverTried && fault === null ? 'pending' : 'offline',
    reasons: [...new Set(reasons)],
    link: bound.length > 0 ? 'session' : 'none',
    lastSeenAt: canSubmit ? nowMs : lastSeenAt,
    nextContactExpectedBy: null,
    appVersion: null,
    battery: null,
    network: null,
    sims: [],
    lastError: fault ?? missing.map(({ state }) => sayEnd(state.lastEnd)).find((text) => text !== null) ?? null,
  } // prettier-ignore
}

/** A link that was made anew may have to wait although no session of its own has ended. */
function reasonOf({ kind, lastEnd }: BindingState): string {
  if (lastEnd === null) return kind === 'waiting' ? 'bind_postponed' : 'connecting'
  return isMisconfigured(lastEnd) ? 'bind_refused' : lastEnd.kind
}

/** Why a session is over, for people. */
function sayEnd(end: SessionEnd | null): string | null {
  if (end === null) return null
  const status = end.kind === 'bind_refused' ? ` (command_status 0x${end.status.toString(16).padStart(8, '0')})` : ''
  return `${end.kind}: ${end.detail}${status}`
} // prettier-ignore
