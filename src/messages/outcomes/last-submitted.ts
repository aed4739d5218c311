import type { Tx } from '../../storage/seam/dialect.ts'
import type { Flag, Mode } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'

/** One try of a message. */
export interface Try {
  accountId: string
  mode: Mode
  messageId: string
  attemptNumber: number
}

/** Behind an attempt `a` no other was submitted: each was refused whole, as far as its device could tell. An open one may be. */
const isLast = (among: string): string => `not exists (select 1 from attempts b
  where b.account_id = a.account_id and b.mode = a.mode and b.message_id = a.message_id and b.number > a.number ${among}
    and not (b.state = 'refused' and b.parts_sent = 0 and b.network_ids is null))`

const lastSubmitted = {
  sql: `select a.message_id, a.number from attempts a
        where a.account_id = :account and a.mode = :mode and a.message_id = :message and a.number = :number and ${isLast('')}`,
  inputs: ['account', 'mode', 'message', 'number'],
} as const

/**
 * Which of these earlier tries are still what counts of their messages, because nothing was submitted in any later one; none while a later one is
 * open. Gives their `nameOfTry`.
 */
export async function readLastSubmitted(tx: Tx, tries: readonly Try[]): Promise<ReadonlySet<string>> {
  const rows = await selectEach<{ message_id: string; number: number }>(
    tx,
    lastSubmitted,
    tries.map((each) => [each.accountId, each.mode, each.messageId, each.attemptNumber]),
  )
  return new Set(rows.map(({ message_id, number }) => nameOfTry(message_id, number)))
}

/** Tells the tries of a batch apart. */
export const nameOfTry = (messageId: string, attemptNumber: number): string => `${messageId}/${attemptNumber}`

interface Taken {
  message_id: string
  id: string
  number: number
  device_id: string
  network_ids: string | null
  /** Null of what ended before that was written down. */
  receipt_expected: Flag | null
}

const takenBefore = {
  sql: `select a.message_id, a.id, a.number, a.device_id, a.network_ids, a.receipt_expected from attempts a
        where a.account_id = :account and a.mode = :mode and a.message_id = :message and a.number < :number and a.state = 'accepted'
          and ${isLast('and b.number < :number')}`,
  inputs: ['account', 'mode', 'message', 'number'],
} as const

/** The tries that were taken before these, of which nothing was submitted; none where another was submitted between the two. By message. */
export async function readTakenBefore(tx: Tx, tries: readonly Try[]): Promise<ReadonlyMap<string, Taken>> {
  const rows = await selectEach<Taken>(
    tx,
    takenBefore,
    tries.map((each) => [each.accountId, each.mode, each.messageId, each.attemptNumber]),
  )
  return new Map(rows.map((row) => [row.message_id, row]))
}
