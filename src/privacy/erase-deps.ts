import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import type { NumberHash } from '../numbers/number-hash.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import type { Writer } from '../storage/seam/writer.ts'
import type { MessageErrorCode } from '../messages/core/message-errors.ts'

/** What erasing works with. */
export interface EraseDeps {
  read: Db
  writer: Writer
  clock: Pick<Clock, 'now'>
  ids: Ids
  /** Runs a write whose rows carry times from `atMs` on, so that no page of history passes by them. */
  hold<T>(atMs: number, write: (timeIn: (tx: Tx) => Promise<number>) => Promise<T>): Promise<T>
}

export interface EraseNumberDeps extends EraseDeps {
  /** Stands for the number where something must. */
  numbers: NumberHash
}

export interface EraseNumber {
  /** E.164. */
  number: string
  /** Null: of every account. */
  accountId: string | null
  actor: string
  /** Why what waits is canceled. */
  code: Extract<MessageErrorCode, 'canceled_by_user' | 'canceled_by_operator'>
}

export interface EraseAccount {
  accountId: string
  /** The account's name, as a person has typed it who means this account. */
  confirm: string
  actor: string
}
