import type { Tx } from '../../storage/seam/dialect.ts'
import type { Flag, Mode } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'

/** One attempt of a message. */
export interface Try {
  accountId: string
  mode: Mode
  messageId: string
  attemptNumber: number
}

/**
 * True if no attempt after `a` was submitted: each was refused as a whole, according to its device. An open
 * one may have been submitted.
 */
const isLast = (among: string): string => `not exists (select 1 from attempts b
  where b.account_id = a.account_id and b.mode = a.mode and b.message_id = a.message_id and b.number > a.number ${among}
    and not (b.state = 'refused' and b.parts_sent = 0 and b.network_ids is null))`

const lastSubmitted = {
  sql: `select a.message_id, a.number from attempts a
        where a.account_id = :account and a.mode = :mode and a.message_id = :message and a.number = :number and ${isLast('')}`,
  inputs: ['account', 'mode', 'message', 'number'],
} as const

/**
 * Returns which of these earlier attempts still decide about their messages, because no later attempt
 * submitted anything; none while a later one is open. Returns their `nameOfTry`.
 */
export async function readLastSubmitted(tx: Tx, tries: readonly Try[]): Promise<ReadonlySet<string>> {
  const rows = await selectEach<{ message_id: string; number: number }>(
    tx,
    lastSubmitted,
    tries.map((each) => [each.accountId, each.mode, each.messageId, each.attemptNumber]),
  )
  return new Set(rows.map(({ message_id, number }) => keyOfTry(message_id, number)))
}

/** Identifies an attempt within a batch. */
export const keyOfTry = (messageId: string, attemptNumber: number): string => `${messageId}/${attemptNumber}`

interface Taken {
  message_id: string
  id: string
  number: number
  device_id: string
  network_ids: string | null
  /** Null for attempts that finished before this was recorded. */
  receipt_expected: Flag | null
}

const takenBefore = {
  sql: `select a.message_id, a.id, a.number, a.device_id, a.network_ids, a.receipt_expected from attempts a
        where a.account_id = :account and a.mode = :mode and a.message_id = :message and a.number < :number and a.state = 'accepted'
          and ${isLast('and b.number < :number')}`,
  inputs: ['account', 'mode', 'message', 'number'],
} as const

/**
 * Reads the attempts that were accepted before these, which submitted nothing; none if another was submitted
 * in between. By message.
 */
export async function readTakenBefore(tx: Tx, tries: readonly Try[]): Promise<ReadonlyMap<string, Taken>> {
  const rows = await selectEach<Taken>(
    tx,
    takenBefore,
    tries.map((each) => [each.accountId, each.mode, each.messageId, each.attemptNumber]),
  )
  return new Map(rows.map((row) => [row.message_id, row]))
}
