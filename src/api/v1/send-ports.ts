import type { Refusal } from '../../errors.ts'
import type { SendRequest, SendResult, StoredSend } from '../../messages/send-request.ts'
import type { Mode } from '../../storage/schema.ts'

/** What the send operation asks of the rest of the house. */
export interface SendPorts {
  /** Stores and holds, or refuses; settles only after the flush. */
  sendMessages(request: SendRequest): Promise<SendResult>
  /** What `sendMessages` would say now; stores nothing. */
  priceOnly(request: SendRequest): Promise<PricedSend>
  /** The send stored under an idempotency key. */
  findReplay(name: { accountId: string; mode: Mode; key: string }): Promise<StoredSend | null>
  /** Which of these numbers said STOP to this account. */
  optedOut(accountId: string, mode: Mode, numbers: readonly string[]): Promise<ReadonlySet<string>>
  routing: { forAccount(accountId: string, mode: Mode): SendRouting }
}

export type PricedSend =
  | { kind: 'accepted'; balanceAvailable: number; isLow: boolean }
  | { kind: 'refused'; refusal: Refusal }

/** What the devices that serve an account in a mode can do together; answered from memory. */
export interface SendRouting {
  /** Whether any enabled device can carry its messages; without one a send is refused. */
  enabled: boolean
  /** Whether one of them is online now. */
  online: boolean
  /** Whether a simulator is among them. */
  simulated: boolean
  /** Whether all of them are phones. */
  phonesOnly: boolean
  /** Numbers and names that `from` may be. */
  senders: ReadonlySet<string>
  /** Whether a device takes any alphanumeric name as `from`. */
  alphanumericSender: boolean
  /** Parts that the most capable of them joins. */
  maxParts: number
  estimatedWaitSeconds: number | null
}
