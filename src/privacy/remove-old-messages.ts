import { allDone } from '../runtime/all-done.ts'
import { lowestIdAt } from '../runtime/ids.ts'
import { archiveUsed } from '../ledger/ledger.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import type { Mode } from '../storage/tables/schema.ts'
import { deleteRows, selectEach } from '../storage/seam/sets.ts'
import type { RetentionMark } from './erase-texts.ts'
import { TrafficChanges } from '../messages/core/traffic.ts'

/** What is said of a message that goes. */
interface OldMessage {
  account_id: string
  mode: Mode
  id: string
  send_id: string | null
  charged: number
  created_at: number
}

const oldMessages = {
  sql: `select account_id, mode, id, send_id, charged, created_at from messages
        where account_id = :account and mode = :mode and id > :after and id < :before and settled_at < :settled order by id limit :most`,
  inputs: ['account', 'mode', 'after', 'before', 'settled', 'most'],
} as const

/** What goes: messages that were accepted before the one instant, and came to their last state before the other: one that was scheduled may end long behind its begin. */
export interface Old {
  acceptedBeforeMs: number
  settledBeforeMs: number
}

/** The oldest such messages of one wallet behind a mark, at most `most`. */
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
 * Removes a page of `readOldMessages`, which was read in the same transaction, with its attempts, and sends of which no message is left. What they
 * had used stays in the wallet, marked as archived, so that sums add up.
 *
 * By ranges of keys, for a page holds every message from its first to its last that was settled by then: a quarter of what it costs to name each
 * (decision 28). Where a message lies between that was not, each is named.
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

async function archive(tx: Tx, page: readonly OldMessage[]): Promise<void> {
  const traffic = new TrafficChanges()
  for (const message of page) traffic.archived(message)
  const used = new Map<string, { account_id: string; mode: Mode; used_archived: number }>()
  for (const { account_id, mode, charged } of page) {
    const name = `${account_id}/${mode}`
    used.set(name, { account_id, mode, used_archived: (used.get(name)?.used_archived ?? 0) + charged })
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
 * The range is empty by now, and so is each send that lies in it. What reaches beyond it, as the first and the last may, and any where nodes sent at
 * the same time, is looked at by itself.
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

async function removeEmptySends(tx: Tx, page: readonly OldMessage[]): Promise<void> {
  const sends = new Map(page.flatMap((row) => (row.send_id === null ? [] : [[row.send_id, row] as const])))
  if (sends.size === 0) return
  const empty = await selectEach<{ account_id: string; id: string }>(
    tx,
    emptySends,
    [...sends].map(([id, { account_id }]) => [account_id, id]),
  )
  await deleteRows(tx, 'sends', ['account_id', 'id'], empty)
}
