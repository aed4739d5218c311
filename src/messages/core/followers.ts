import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { selectEach, updateRows } from '../../storage/seam/sets.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { MessageState } from './message-store.ts'

/**
 * Messages that another one follows once the network reports that they were not delivered (`on_undelivered: next_way`). A
 * row is stored with the message, so that nothing else asks about it.
 */

const followerKey = ['account_id', 'mode', 'message_id'] as const

interface Key {
  account_id: string
  mode: Mode
  id: string
}

/** Returns the rows of accepted messages that another one may follow. */
export const armedRows = (
  { accountId, mode, createdAt }: { accountId: string; mode: Mode; createdAt: number },
  messageIds: readonly string[],
) =>
  messageIds.map((message_id) => ({
    account_id: accountId,
    mode,
    message_id,
    state: 'armed' as const,
    created_at: createdAt,
  }))

/**
 * Marks those of these messages that were certainly not delivered, in the transaction that learns it. Never one that is
 * unconfirmed, or whose receipt is missing: it may have arrived (P6).
 */
export async function markUndelivered(tx: Tx, states: readonly MessageState[]): Promise<void> {
  const undelivered = states.filter(({ status }) => status === 'undelivered')
  await updateRows(
    tx,
    'followers',
    followerKey,
    undelivered.map(({ account_id, mode, id }) => ({
      account_id,
      mode,
      message_id: id,
      state: 'due' as const,
    })),
    { expected: { column: 'state', of: () => 'armed' } },
  )
}

const excludesOf = {
  sql: `select follower_id, excludes from followers
        where account_id = :account and mode = :mode and follower_id = :message and excludes is not null`,
  inputs: ['account', 'mode', 'message'],
} as const

/** Returns the devices that followers must not use, by the ID of the follower. */
export async function readExcludes(
  db: Db | Tx,
  messages: readonly Key[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await selectEach<{ follower_id: string; excludes: string }>(
    db,
    excludesOf,
    messages.map(({ account_id, mode, id }) => [account_id, mode, id]),
  )
  return new Map(rows.map((row) => [row.follower_id, row.excludes.split(',')]))
}
