import type { Outcome } from '../../connectors/connector.ts'
import type { Claimed } from '../../messages/queue/claim-messages.ts'
import type { Settlement } from '../../messages/outcomes/settlement.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { busyBackoffMs, type HasAnother, judgeLate, judgeOutcome } from '../routes/retry-policy.ts'

/** A hand-over that has ended and is to be stored. */
export interface FinishedSubmission {
  claimed: Claimed
  /** Whose room it took; null when it took none. */
  device: DeviceRuntime | null
  outcome: Outcome
  /** Of a late word on an unknown outcome: the network ids that were known before. */
  knownIds?: readonly string[]
}

export const tooLate: Outcome = {
  kind: 'refused',
  lasts: 'expired',
  code: 'expired_in_queue',
  networkCode: null,
}

/** What these ends mean for their messages. */
export const settlementsOf = (
  ended: readonly FinishedSubmission[],
  nowMs: number,
  dueMs: number,
  another?: HasAnother,
): Settlement[] =>
  ended.map(({ claimed, outcome, knownIds }) =>
    knownIds === undefined
      ? withItsRest(judgeOutcome(claimed, outcome, nowMs, dueMs, another), outcome, dueMs)
      : judgeLate(claimed, outcome, nowMs, knownIds),
  )

/** Where no device rests for it, the message does, else it would be claimed again and again. */
const withItsRest = (settlement: Settlement, outcome: Outcome, dueMs: number): Settlement =>
  isOfDevice(outcome) || settlement.requeue === null
    ? settlement
    : { ...settlement, requeue: { ...settlement.requeue, dueAt: dueMs + busyBackoffMs } }

/** Nothing was submitted, and that is no fault of anybody: the message goes back into the queue. */
export const givenBack: Outcome = {
  kind: 'unavailable',
  detail: 'The link dropped or stopped before there was room.',
}
export const notWrittenDown: Outcome = {
  kind: 'unavailable',
  detail: 'The log of hand-overs cannot be written.',
}
export const notLookedUp: Outcome = {
  kind: 'unavailable',
  detail: 'Nobody could say whether the number has opted out after the message was claimed.',
}
export const stoppedMeanwhile: Outcome = {
  kind: 'unavailable',
  detail: 'The number has opted out after the message was claimed.',
}

/** Of these the device was not asked, and other messages of it go on. `givenBack` is none of them: its link is gone for now, and rests. */
const notOfDevice: ReadonlySet<Outcome> = new Set([notWrittenDown, notLookedUp, stoppedMeanwhile])

/** Whether an outcome says something of the device. */
export const isOfDevice = (outcome: Outcome): boolean => !notOfDevice.has(outcome)
