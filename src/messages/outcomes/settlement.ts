import type { AttemptState } from '../../storage/tables/schema.ts'
import type { Claimed } from '../queue/claim-messages.ts'
import type { MessageEvent } from '../core/state.ts'

/** The end of one attempt, already judged: what it means for the message is decided by the dispatcher's retry policy. */
export interface Settlement extends Pick<
  Claimed,
  'accountId' | 'mode' | 'messageId' | 'attemptId' | 'attemptNumber' | 'deviceId' | 'place' | 'groupId'
> {
  event: MessageEvent
  attemptState: Exclude<AttemptState, 'handing_over'>
  atMs: number
  /** A word for the attempt's record: the outcome's kind or the refusal's code. */
  outcome: string
  networkIds: readonly string[]
  /** Of those, the ones that an earlier word on this attempt had told: they are waited for already, or were heard. */
  knownIds?: readonly string[]
  /** The wire parts of an attempt of which nobody knows; of one that a late word is about, none any more. */
  inDoubt?: { attemptId: string; parts: readonly number[]; wireParts: number }
  /** When the network took it, by the word of the device. */
  sentAt?: number
  receiptExpected: boolean
  /** Nobody waits for a receipt, and yet one may come that tells of a failure. */
  failuresTold?: true
  partsTaken: number
  error: { code: string; networkCode: string | null } | null
  /** Where the message goes back to the queue: when it is due, how many refusals count against it, and on which route, where that is another one. */
  requeue: { dueAt: number; refusals: number; routeKey?: string } | null
  possibleDuplicate: boolean
}
