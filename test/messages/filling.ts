import type { Ids } from '../../src/runtime/ids.ts'

export interface FilledAccount {
  accountId: string
  /** Is in this account alone. */
  userId: string
  /** Is in another account too. */
  guestId: string
  deviceId: string
  name: string
}

/** What an account is filled with: `mark` stands in every column that people, programs, phones or networks write into, `number` where a number is. */
export interface Filling {
  mark: string
  number: string
}

export interface Deps {
  ids: Ids
  nowMs: number
}
