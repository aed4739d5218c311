import type { Outcome } from '../../connectors/connector.ts'
import type { PhoneWord } from '../../storage/tables/schema.ts'

/** What a phone reports about one attempt. */
export interface PhoneReport {
  deviceId: string
  /** The registration: it may have moved to this device from a former one (`takeOverPhone`). */
  phoneId: string
  attemptId: string
  state: PhoneWord
  /** The phone's text for a failure. */
  error: string | null
  /** When it was sent and delivered, by the phone's clock in server time; omitted when not reported. */
  sentAt?: number
  deliveredAt?: number
}

/** What a failure means: an outcome, or that the network accepted the message and could not deliver it. */
export type FailureMeaning = Outcome | { kind: 'undelivered'; code: string; networkCode: string | null }
export type JudgeFailure = (error: string | null, facts: { parts: number }) => FailureMeaning

/**
 * Returns why a message that was reported sent did not arrive complete. The phone's own value is kept even if
 * it explains nothing.
 */
export function reasonOf(meaning: FailureMeaning): { code: string; networkCode: string | null } {
  if (meaning.kind === 'undelivered' || meaning.kind === 'refused')
    return { code: meaning.code, networkCode: meaning.networkCode }
  const answered = meaning.kind === 'unknown' ? meaning.answered : undefined
  return answered === undefined
    ? { code: 'unknown', networkCode: null }
    : { code: 'device_unclear', networkCode: answered.networkCode }
}

/**
 * Returns the reported times, limited to what is possible: not before the offer and not after the report,
 * regardless of the phone's clock.
 */
export function timesWithin(
  { sentAt, deliveredAt }: PhoneReport,
  { offeredAtMs, nowMs }: { offeredAtMs: number; nowMs: number },
): Pick<PhoneReport, 'sentAt' | 'deliveredAt'> {
  const within = (saidMs: number): number => Math.min(Math.max(saidMs, offeredAtMs), nowMs)
  return {
    ...(sentAt !== undefined && { sentAt: within(sentAt) }),
    ...(deliveredAt !== undefined && { deliveredAt: within(deliveredAt) }),
  }
}
