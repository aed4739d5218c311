import type { Outcome } from '../../connectors/connector.ts'
import type { Claimed } from '../../messages/queue/claim-messages.ts'
import type { Settlement } from '../../messages/outcomes/settlement.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { busyBackoffMs, type HasAnother, judgeLate, judgeOutcome } from '../outcomes/retry-policy.ts'

/** An attempt with a final outcome that must be stored. */
export interface FinishedSubmission {
  claimed: Claimed
  /** The device whose room it took; null when it took none. */
  device: DeviceRuntime | null
  outcome: Outcome
  /** It comes after the outcome was stored as unknown. */
  isLate?: true
}

export const tooLate: Outcome = {
  kind: 'refused',
  lasts: 'expired',
  code: 'expired_in_queue',
  networkCode: null,
}

/** Returns what these outcomes mean for their messages. */
export const settlementsOf = (
  ended: readonly FinishedSubmission[],
  nowMs: number,
  dueMs: number,
  another?: HasAnother,
): Settlement[] =>
  ended.map(({ claimed, outcome, isLate }) =>
    isLate !== true
      ? withBackoff(judgeOutcome(claimed, outcome, nowMs, dueMs, another), outcome, dueMs)
      : judgeLate(claimed, outcome, nowMs),
  )

/** If no device rests for it, the message does; otherwise it would be claimed repeatedly. */
const withBackoff = (settlement: Settlement, outcome: Outcome, dueMs: number): Settlement =>
  isOfDevice(outcome) || settlement.requeue === null
    ? settlement
    : { ...settlement, requeue: { ...settlement.requeue, dueAt: dueMs + busyBackoffMs } }

/** Nothing was submitted, without a fault of the message: it is requeued. */
export const releasedClaim: Outcome = {
  kind: 'unavailable',
  detail: 'The link dropped or stopped before there was room.',
}
export const notLogged: Outcome = {
  kind: 'unavailable',
  detail: 'The submission log cannot be written.',
}
export const optOutUnknown: Outcome = {
  kind: 'unavailable',
  detail: 'The opt-out of the number could not be checked after the message was claimed.',
}
export const optedOutMeanwhile: Outcome = {
  kind: 'unavailable',
  detail: 'The number has opted out after the message was claimed.',
}

/**
 * These do not involve the device, and its other messages continue. `releasedClaim` is not one of them: its
 * link is down for now, and rests.
 */
const notOfDevice: ReadonlySet<Outcome> = new Set([notLogged, optOutUnknown, optedOutMeanwhile])

/** Returns whether an outcome says something about the device. */
export const isOfDevice = (outcome: Outcome): boolean => !notOfDevice.has(outcome)
