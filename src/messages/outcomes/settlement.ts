import type { AttemptState } from '../../storage/tables/schema.ts'
import type { Claimed } from '../queue/claim-messages.ts'
import type { QueueEnd } from '../core/verdict.ts'

/**
 * The outcome of one attempt, already judged: the dispatcher's retry policy decides what it means for the
 * message.
 */
export interface Settlement extends Pick<
  Claimed,
  'accountId' | 'mode' | 'messageId' | 'attemptId' | 'attemptNumber' | 'deviceId' | 'position' | 'groupId'
> {
  attemptState: Exclude<AttemptState, 'handing_over'>
  atMs: number
  /** For the record of the attempt: the kind of the outcome, or the code of the refusal. */
  outcome: string
  networkIds: readonly string[]
  /** The parts of an attempt with unknown outcome; empty for a late ack. */
  unknownParts?: { attemptId: string; parts: readonly number[]; wireParts: number }
  /** When the network accepted it, as reported by the device. */
  sentAt?: number
  receiptExpected: boolean
  /** No receipt is expected, but one can still report a failure. */
  failuresReported?: true
  partsTaken: number
  /** How its message ends, if nothing of it was sent and it does not go again; null: by the evidence alone. */
  end: Exclude<QueueEnd['status'], 'unconfirmed'> | null
  error: { code: string; networkCode: string | null } | null
  /**
   * How the message is requeued: when it is due, how many refusals count against it, and on which route, if
   * that is another one.
   */
  requeue: { dueAt: number; refusals: number; routeKey?: string } | null
  possibleDuplicate: boolean
}
