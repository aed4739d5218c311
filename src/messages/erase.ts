import { allDone } from '../all-done.ts'
import { lowestIdAt } from '../ids.ts'
import type { Db, Tx } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import { adjustRows, deleteRows, selectEach, updateRows } from '../storage/sets.ts'
import { eraseAnswersAbout } from './erase-webhooks.ts'
import { TrafficChanges } from './traffic.ts'

/** Where to look in one wallet's messages: behind this id. */
export interface RetentionMark {
  accountId: string
  mode: Mode
  afterId: string
}

type OldText = Pick<OldMessage, 'account_id' | 'mode' | 'id'> & { finalized_at: number | null }

interface OldMessage {
  account_id: string
  mode: Mode
  id: string
  send_id: string | null
  charged: number
  created_at: number
}

const oldTexts = {
  sql: `select account_id, mode, id, finalized_at from messages
        where account_id = :account and mode = :mode and id > :after and id < :before and text is not null
        order by id limit :most`,
  inputs: ['account', 'mode', 'after', 'before', 'most'],
} as const
const oldMessages = {
  sql: `select account_id, mode, id, send_id, charged, created_at from messages
        where account_id = :account and mode = :mode and id < :before and finalized_at is not null order by id limit :most`,
  inputs: ['account', 'mode', 'before', 'most'],
} as const

/** Messages of one wallet older than `beforeMs` whose text still stands, final or not, at most `most`. */
export const readOldTexts = (
  db: Db,
  mark: RetentionMark,
  beforeMs: number,
  most: number,
): Promise<OldText[]> =>
  selectEach<OldText>(db, oldTexts, [
    [mark.accountId, mark.mode, mark.afterId, lowestIdAt('msg', beforeMs), most],
  ])

/** Final messages of one wallet older than `beforeMs`, at most `most`. */
export const readOldMessages = (
  db: Db | Tx,
  name: { accountId: string; mode: Mode },
  beforeMs: number,
  most: number,
): Promise<OldMessage[]> =>
  selectEach<OldMessage>(db, oldMessages, [[name.accountId, name.mode, lowestIdAt('msg', beforeMs), most]])

/** Erases texts, and what receivers of webhooks answered to them; the times of the messages stay as they are. */
export async function eraseTexts(tx: Tx, messages: readonly OldText[]): Promise<void> {
  await eraseAnswersAbout(tx, messages)
  await updateRows(
    tx,
    'messages',
    ['account_id', 'mode', 'id'],
    messages.map(({ account_id, mode, id }) => ({
      account_id,
      mode,
      id,
      text: null,
      text_redacted: 1 as const,
    })),
  )
}

const emptySends = {
  sql: `select account_id, id from sends s where s.account_id = :account and s.id = :send and not exists (
          select 1 from messages m where m.account_id = s.account_id and m.mode = s.mode
            and m.id between s.first_message_id and s.last_message_id and m.send_id = s.id)`,
  inputs: ['account', 'send'],
} as const

/** Removes messages with their attempts, and sends of which none is left. What they had used stays in the wallet, marked as archived, so that sums add up. */
export async function removeMessages(tx: Tx, messages: readonly OldMessage[]): Promise<void> {
  const traffic = new TrafficChanges()
  for (const message of messages) traffic.archived(message)
  const used = new Map<string, { account_id: string; mode: Mode; used_archived: number }>()
  for (const { account_id, mode, charged } of messages) {
    const name = `${account_id}/${mode}`
    used.set(name, { account_id, mode, used_archived: (used.get(name)?.used_archived ?? 0) + charged })
  }
  const ofMessages = messages.map(({ account_id, mode, id }) => ({ account_id, mode, message_id: id }))
  const sends = new Map(
    messages.flatMap((row) => (row.send_id === null ? [] : [[row.send_id, row] as const])),
  )
  await allDone([
    deleteRows(tx, 'messages', ['account_id', 'mode', 'id'], messages),
    deleteRows(tx, 'attempts', ['account_id', 'mode', 'message_id'], ofMessages),
    adjustRows(tx, 'wallets', { key: ['account_id', 'mode'], amounts: ['used_archived'] }, [
      ...used.values(),
    ]),
    traffic.apply(tx),
  ])
  const empty = await selectEach<{ account_id: string; id: string }>(
    tx, emptySends, [...sends.values()].map((row) => [row.account_id, row.send_id]),
  ) // prettier-ignore
  await deleteRows(tx, 'sends', ['account_id', 'id'], empty)
}
