import { allDone } from '../runtime/all-done.ts'
import { lowestIdAt } from '../runtime/ids.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import { deleteRows, selectEach } from '../storage/seam/sets.ts'
import type { RetentionMark } from './erase-texts.ts'
import { archive, type Old, type OldMessage, removeEmptySends } from './remove-old-messages.ts'

interface AheadMessage extends OldMessage {
  sent_at: number | null
  delivered_at: number | null
  finalized_at: number | null
}

const messages = {
  sql: `select account_id, mode, id, send_id, charged, paid_by, created_at, sent_at, delivered_at, finalized_at from messages
        where account_id = :account and mode = :mode and id > :after and id < :before order by id limit :most`,
  inputs: ['account', 'mode', 'after', 'before', 'most'],
} as const

/**
 * Reads a page of messages of one wallet after a mark, as far as IDs of old ones can be ahead by `lagMs`. Returns which of
 * them are old by the clock, how many were read, and the last one.
 */
export async function readAhead(
  db: Db | Tx,
  { accountId, mode, afterId }: RetentionMark,
  { acceptedBeforeMs, settledBeforeMs, lagMs }: Old & { lagMs: number },
  most: number,
): Promise<{ old: OldMessage[]; read: number; lastId: string | undefined }> {
  const before = lowestIdAt('msg', acceptedBeforeMs + lagMs)
  const page = await selectEach<AheadMessage>(db, messages, [[accountId, mode, afterId, before, most]])
  const old = page.filter(
    (message) => message.created_at < acceptedBeforeMs && lastTimeOf(message) < settledBeforeMs,
  )
  return { old, read: page.length, lastId: page.at(-1)?.id }
}

/** The last time by the clock: `settled_at` is that of the unit, which may be ahead. */
const lastTimeOf = ({ sent_at, delivered_at, finalized_at }: AheadMessage): number =>
  finalized_at === null ? Infinity : Math.max(sent_at ?? 0, delivered_at ?? 0, finalized_at)

/** Removes these messages by key, as `removeMessages` does by range: others that are kept can be between them. */
export async function removeEach(tx: Tx, page: readonly OldMessage[]): Promise<void> {
  if (page.length === 0) return
  const keys = page.map(({ account_id, mode, id }) => ({ account_id, mode, id, message_id: id }))
  await allDone([
    archive(tx, page),
    deleteRows(tx, 'messages', ['account_id', 'mode', 'id'], keys),
    deleteRows(tx, 'attempts', ['account_id', 'mode', 'message_id'], keys),
  ])
  await removeEmptySends(tx, page)
}
