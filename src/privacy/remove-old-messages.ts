import { allDone } from '../runtime/all-done.ts'
import { lowestIdAt } from '../runtime/ids.ts'
import { archiveUsed } from '../ledger/ledger.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import type { Mode, Payer } from '../storage/tables/schema.ts'
import { deleteRows, selectEach } from '../storage/seam/sets.ts'
import type { RetentionMark } from './erase-texts.ts'
import { TrafficChanges } from '../messages/core/traffic.ts'

/** The columns of a message that is removed. */
export interface OldMessage {
  account_id: string
  mode: Mode
  id: string
  send_id: string | null
  charged: number
  paid_by: Payer
  created_at: number
}

const oldMessages = {
  sql: `select account_id, mode, id, send_id, charged, paid_by, created_at from messages
        where account_id = :account and mode = :mode and id > :after and id < :before and settled_at < :settled order by id limit :most`,
  inputs: ['account', 'mode', 'after', 'before', 'settled', 'most'],
} as const

/**
 * What to remove: messages accepted before one instant that reached their last state before another. A
 * scheduled message can become final long after it was accepted.
 */
export interface Old {
  acceptedBeforeMs: number
  settledBeforeMs: number
}

/** Reads the oldest such messages of one wallet after a mark, at most `most`. */
export const readOldMessages = (
  db: Db | Tx,
  { accountId, mode, afterId }: RetentionMark,
  { acceptedBeforeMs, settledBeforeMs }: Old,
  most: number,
): Promise<OldMessage[]> =>
  selectEach<OldMessage>(db, oldMessages, [
    [accountId, mode, afterId, lowestIdAt('msg', acceptedBeforeMs), settledBeforeMs, most],
  ])

/**
 * Removes a page of `readOldMessages`, which was read in the same transaction, with its attempts, and sends
 * without remaining messages. Their usage stays in the wallet, marked as archived, so that all sums are
 * correct.
 *
 * Deletes by ranges of keys, because a page has every message from its first to its last that was settled by
 * then: this costs a quarter of deleting by key (decision 28). If an unsettled message is within the range,
 * rows are deleted by key.
 */
export async function removeMessages(
  tx: Tx,
  page: readonly OldMessage[],
  { settledBeforeMs }: Pick<Old, 'settledBeforeMs'>,
): Promise<void> {
  const [first, last] = [page[0], page.at(-1)]
  if (first === undefined || last === undefined) return
  const range = { account_id: first.account_id, mode: first.mode, first: first.id, last: last.id }
  // Posted together and run in this order.
  const [, , isSomeLeft] = await allDone([
    archive(tx, page),
    removeSettled(tx, range, settledBeforeMs),
    isAnyLeft(tx, range),
  ])
  if (isSomeLeft) {
    const ofMessages = page.map(({ account_id, mode, id }) => ({ account_id, mode, message_id: id }))
    await deleteRows(tx, 'attempts', ['account_id', 'mode', 'message_id'], ofMessages)
    return removeEmptySends(tx, page)
  }
  await allDone([removeAttempts(tx, range), removeSends(tx, page, range)])
}

/** All messages of a wallet from one to another. */
interface Range {
  account_id: string
  mode: Mode
  first: string
  last: string
}

/** Keeps messages that are removed in the sums of their wallet and in the counts of traffic. */
export async function archive(tx: Tx, page: readonly OldMessage[]): Promise<void> {
  const traffic = new TrafficChanges()
  for (const message of page) traffic.archived(message)
  const used = new Map<string, Parameters<typeof archiveUsed>[1][number]>()
  for (const { account_id, mode, charged, paid_by } of page) {
    const name = `${account_id}/${mode}`
    const sums = used.get(name) ?? { account_id, mode, used_archived: 0, own_used_archived: 0 }
    const amount = paid_by === 'own_device' ? 'own_used_archived' : 'used_archived'
    used.set(name, { ...sums, [amount]: sums[amount] + charged })
  }
  await allDone([archiveUsed(tx, [...used.values()]), traffic.apply(tx)])
}

const removeSettled = (
  tx: Tx,
  { account_id, mode, first, last }: Range,
  settledBeforeMs: number,
): Promise<unknown> =>
  tx
    .deleteFrom('messages')
    .where('account_id', '=', account_id)
    .where('mode', '=', mode)
    .where('id', '>=', first)
    .where('id', '<=', last)
    .where('settled_at', '<', settledBeforeMs)
    .execute()

const removeAttempts = (tx: Tx, { account_id, mode, first, last }: Range): Promise<unknown> =>
  tx
    .deleteFrom('attempts')
    .where('account_id', '=', account_id)
    .where('mode', '=', mode)
    .where('message_id', '>=', first)
    .where('message_id', '<=', last)
    .execute()

async function isAnyLeft(tx: Tx, { account_id, mode, first, last }: Range): Promise<boolean> {
  const row = await tx
    .selectFrom('messages')
    .select('id')
    .where('account_id', '=', account_id)
    .where('mode', '=', mode)
    .where('id', '>=', first)
    .where('id', '<=', last)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Removes the sends of a range. The range is empty by now, and so is each send within it. A send that extends
 * beyond it is checked separately: the first and the last one can, and any send where nodes were sending at
 * the same time.
 */
async function removeSends(
  tx: Tx,
  page: readonly OldMessage[],
  { account_id, mode, first, last }: Range,
): Promise<void> {
  const ids = page.flatMap(({ send_id }) => send_id ?? []).toSorted()
  const [least, most] = [ids[0], ids.at(-1)]
  if (least === undefined || most === undefined) return
  await tx
    .deleteFrom('sends')
    .where('account_id', '=', account_id)
    .where('id', '>=', least)
    .where('id', '<=', most)
    .where('mode', '=', mode)
    .where('first_message_id', '>=', first)
    .where('last_message_id', '<=', last)
    .execute()
  const left = await tx
    .selectFrom('sends')
    .select('id')
    .where('account_id', '=', account_id)
    .where('id', '>=', least)
    .where('id', '<=', most)
    .where('mode', '=', mode)
    .execute()
  const beyond = new Set(left.map(({ id }) => id))
  await removeEmptySends(
    tx,
    page.filter(({ send_id }) => send_id !== null && beyond.has(send_id)),
  )
}

const emptySends = {
  sql: `select account_id, id from sends s where s.account_id = :account and s.id = :send and not exists (
          select 1 from messages m where m.account_id = s.account_id and m.mode = s.mode
            and m.id between s.first_message_id and s.last_message_id and m.send_id = s.id)`,
  inputs: ['account', 'send'],
} as const

/** Removes the sends of these messages that have none left. */
export async function removeEmptySends(tx: Tx, page: readonly OldMessage[]): Promise<void> {
  const sends = new Map(page.flatMap((row) => (row.send_id === null ? [] : [[row.send_id, row] as const])))
  if (sends.size === 0) return
  const empty = await selectEach<{ account_id: string; id: string }>(
    tx,
    emptySends,
    [...sends].map(([id, { account_id }]) => [account_id, id]),
  )
  await deleteRows(tx, 'sends', ['account_id', 'id'], empty)
}
