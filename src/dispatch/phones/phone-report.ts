import type { Outcome } from '../../connectors/connector.ts'
import type { PhoneWord } from '../../storage/tables/schema.ts'

/** What a phone says of one attempt. */
export interface PhoneReport {
  deviceId: string
  /** The registration: it may have gone over to this device from one that is gone (`takeOverPhone`). */
  phoneId: string
  attemptId: string
  state: PhoneWord
  /** Its words for a failure. */
  error: string | null
  /** When it was sent and delivered, by its clock in our time; left out where it does not say. */
  sentAt?: number
  deliveredAt?: number
}

/** What a failure means: an outcome, or that the network took the message and could not deliver it. */
export type FailureMeaning = Outcome | { kind: 'undelivered'; code: string; networkCode: string | null }
export type JudgeFailure = (error: string | null, facts: { parts: number }) => FailureMeaning

/** Why it did not arrive whole, though the phone had called it sent: its own value is kept even where that explains nothing. */
export function reasonOf(meaning: FailureMeaning): { code: string; networkCode: string | null } {
  if (meaning.kind === 'undelivered' || meaning.kind === 'refused')
    return { code: meaning.code, networkCode: meaning.networkCode }
  const answered = meaning.kind === 'unknown' ? meaning.answered : undefined
  return answered === undefined
    ? { code: 'unknown', networkCode: null }
    : { code: 'device_unclear', networkCode: answered.networkCode }
}

/** When a phone says that it happened, where that is possible: not before it was handed over and not after it was told, whatever its clock says. */
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
