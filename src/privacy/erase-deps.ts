import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import type { NumberHash } from '../numbers/number-hash.ts'
import type { Db } from '../storage/seam/dialect.ts'
import type { Writer } from '../storage/seam/writer.ts'
import type { MessageErrorCode } from '../messages/core/message-errors.ts'

/** Dependencies of all erasures. */
export interface EraseDeps {
  read: Db
  writer: Writer
  clock: Pick<Clock, 'now'>
  ids: Ids
}

export interface EraseNumberDeps extends EraseDeps {
  /** Replaces the number where a value is required. */
  numbers: NumberHash
}

export interface EraseNumber {
  /** E.164. */
  number: string
  /** Null for every account. */
  accountId: string | null
  actor: string
  /** Reason for canceling queued messages. */
  code: Extract<MessageErrorCode, 'canceled_by_user' | 'canceled_by_operator'>
}

export interface EraseAccount {
  accountId: string
  /** The account's name, typed by a person to confirm the account. */
  confirm: string
  actor: string
}
