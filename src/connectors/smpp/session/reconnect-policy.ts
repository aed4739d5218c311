import { commandStatus } from '../../../smpp/codec/pdu.ts'
import type { SessionEnd } from './session-events.ts'

/** How long a link waits before it binds again. */
export interface ReconnectPolicy {
  /** The minimum, for peers that require one. */
  minMs: number
  /** Upper limit of the first wait after a lost session; each failure in a row doubles it. */
  firstMs: number
  longestMs: number
  /**
   * After a response that the settings are wrong: repeated binds would not help, and SMSCs block clients that
   * send them.
   */
  refusedFirstMs: number
  refusedLongestMs: number
  /** After ESME_RALYBND: the peer must first detect that our last session is gone. */
  alreadyBoundMs: number
}

export const defaultReconnectPolicy: Readonly<ReconnectPolicy> = {
  minMs: 0,
  firstMs: 1_000,
  longestMs: 60_000,
  refusedFirstMs: 60_000,
  refusedLongestMs: 900_000,
  alreadyBoundMs: 15_000,
}

/** The peer will repeat it until the settings are changed, here or there. */
const settingsAreWrong: ReadonlySet<number> = new Set([
  commandStatus.ESME_RINVPASWD,
  commandStatus.ESME_RINVSYSID,
  commandStatus.ESME_RBINDFAIL,
  commandStatus.ESME_RINVSYSTYP,
])

/** Returns whether a session ended because the settings must be changed. */
const isMisconfigured = (end: SessionEnd): boolean =>
  end.kind === 'invalid_settings' || (end.kind === 'bind_refused' && settingsAreWrong.has(end.status))

/**
 * Returns the wait before the next bind, after `failures` unsuccessful sessions in a row (0: the last one was
 * good). Full jitter, so that many links do not reconnect at the same time (exponential back-off with
 * jitter); never less than half if the peer has asked to wait.
 */
export const reconnectWaitMs = (
  policy: ReconnectPolicy,
  end: SessionEnd,
  failures: number,
  random: number,
): number => Math.max(policy.minMs, drawnWaitMs(policy, end, failures, random))

function drawnWaitMs(policy: ReconnectPolicy, end: SessionEnd, failures: number, random: number): number {
  const doubled = (firstMs: number, longestMs: number): number =>
    Math.min(longestMs, firstMs * 2 ** Math.min(failures, 30))
  if (isMisconfigured(end)) {
    const ms = doubled(policy.refusedFirstMs, policy.refusedLongestMs)
    return ms / 2 + (ms / 2) * random
  }
  if (end.kind === 'bind_refused' && end.status === commandStatus.ESME_RALYBND)
    return policy.alreadyBoundMs / 2 + (policy.alreadyBoundMs / 2) * random
  return doubled(policy.firstMs, policy.longestMs) * random
}
