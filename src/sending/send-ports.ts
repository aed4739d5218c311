import type { Routing } from '../dispatch/devices/routing.ts'
import type { Decision } from '../messages/send/decide-sends.ts'
import type { SendRequest, SendResult, StoredSend } from '../messages/send/send-request.ts'
import type { AroundTime, NumberRange } from '../messages/queue/times-to-numbers.ts'
import type { PumpingSign } from './pumping-watch.ts'
import type { Mode } from '../storage/tables/schema.ts'

/** What the send operation asks of the rest of the house. */
export interface SendPorts {
  /**
   * Stores and holds, replays or refuses; settles only after the flush. A `StorageError` of `outcome_unknown` means that nobody knows whether it
   * was stored; whatever else it throws, nothing was.
   */
  sendMessages(request: SendRequest): Promise<SendResult>
  /** What `sendMessages` would decide now; stores nothing. */
  priceOnly(request: SendRequest): Promise<Decision>
  /** The send stored under an idempotency key. */
  findReplay(name: { accountId: string; mode: Mode; key: string }): Promise<StoredSend | null>
  /** Which of these numbers said STOP to this account. */
  optedOut(accountId: string, mode: Mode, numbers: readonly string[]): Promise<ReadonlySet<string>>
  /** When an account sends to numbers of these ranges, within a span of time; by the name of each. */
  timesTo(around: AroundTime, ranges: readonly NumberRange[]): Promise<ReadonlyMap<string, readonly number[]>>
  /** Suspends an account whose messages look like pumping; settles when that is stored. */
  pauseForPumping(accountId: string, sign: PumpingSign): Promise<void>
  /** Parts that wait for a device. */
  waitingParts(accountId: string, mode: Mode): Promise<number>
  /** What those devices of an account can do together that can use `sender`, all of them when it is null; from memory. */
  routing: {
    forAccount(accountId: string, mode: Mode, sender: string | null, encodingForced: boolean): Routing
  }
}
