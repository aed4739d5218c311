import type { Clock } from '../../runtime/clock.ts'
import { type Submission, isPull, type Outcome } from '../../connectors/connector.ts'
import type { Log } from '../../process/log.ts'
import type { Claimed } from '../../messages/queue/claim-messages.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { notLogged, optedOutMeanwhile, optOutUnknown, tooLate } from './finished-submission.ts'
import { type SubmissionLog, tryLogSubmission } from './submission-log.ts'
import { isValidOutcome } from '../outcomes/valid-outcome.ts'

export interface SubmissionDeps {
  clock: Pick<Clock, 'now' | 'monotonicMs'>
  log: Log
  /** Logs the submission of a claim that requires it. */
  submissionLog?: Pick<SubmissionLog, 'logSubmissions'>
  /** Returns whether the number has opted out since the message was claimed, this long ago. */
  hasOptedOut?: (claimed: Claimed, waitedMs: number) => boolean | Promise<boolean>
  /** The same as far as this process knows. */
  isKnownOptedOut?: (claimed: Claimed, waitedMs: number) => boolean
}

/** Submits a flushed claim; always resolves, with a valid outcome. */
export async function submitClaimed(
  { clock, log, submissionLog, hasOptedOut, isKnownOptedOut }: SubmissionDeps,
  claimed: Claimed,
  device: DeviceRuntime | null,
  waitedMs = 0,
): Promise<Outcome> {
  try {
    // What is known now costs no turn. A message to a number that opted out is requeued, and the next claim
    // cancels it (P9).
    const optedOut = hasOptedOut?.(claimed, waitedMs) ?? false
    if (optedOut !== false) {
      const found = await Promise.resolve(optedOut).catch(() => null)
      if (found !== false) return found === null ? optOutUnknown : optedOutMeanwhile
    }
    const nowMs = clock.now()
    // The claim may have waited for the database beyond the validity (P8).
    if (nowMs >= claimed.expiresAt) return tooLate
    if (device === null || isPull(device.link) || !device.hasLease)
      return { kind: 'unavailable', detail: 'This node does not run the device any more.' }
    if (claimed.loggedBy !== undefined && !tryLogSubmission(submissionLog, claimed)) return notLogged
    const submittedMs = clock.monotonicMs()
    const claimedForMs = (): number => waitedMs + clock.monotonicMs() - submittedMs
    const isUnwanted = (): boolean => isKnownOptedOut?.(claimed, claimedForMs()) ?? false
    const outcome = await device.link.submit({
      ...submissionOf(claimed, nowMs),
      hasOptedOut: async () =>
        Promise.resolve(hasOptedOut?.(claimed, claimedForMs()) ?? false).catch(() => null),
      isKnownOptedOut: isUnwanted,
    })
    if (outcome.kind === 'unavailable' && isUnwanted()) return optedOutMeanwhile
    if (!isValidOutcome(outcome)) throw new TypeError('invalid outcome')
    return outcome
  } catch (error) {
    log.error(
      { err: error, device_id: claimed.deviceId, attempt_id: claimed.attemptId },
      'a connector threw instead of returning an outcome',
    )
    return { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'The connector failed.' }
  }
}

/** What a connector gets of a claimed message. The validity is what is left of it, at least one second. */
export function submissionOf(claimed: Claimed, nowMs: number): Submission {
  const { attemptId, to, from, text, encoding, parts, category, expiresAt } = claimed
  const validityMs = expiresAt - nowMs
  const validitySeconds = Math.max(1, Math.floor(validityMs / 1000))
  return { attemptId, to, from, text, encoding, parts, category, validitySeconds, validityMs }
}
