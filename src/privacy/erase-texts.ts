import { lowestIdAt } from '../runtime/ids.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import type { Mode } from '../storage/tables/schema.ts'
import { selectEach, updateRows } from '../storage/seam/sets.ts'
import { eraseAnswersAbout } from './erase-webhooks.ts'

/** A position in one wallet's messages: after this ID. */
export interface RetentionMark {
  accountId: string
  mode: Mode
  afterId: string
}

interface OldText {
  account_id: string
  mode: Mode
  id: string
  finalized_at: number | null
}

const oldTexts = {
  sql: `select account_id, mode, id, finalized_at from messages
        where account_id = :account and mode = :mode and id > :after and id < :before and text is not null
        order by id limit :most`,
  inputs: ['account', 'mode', 'after', 'before', 'most'],
} as const

/**
 * Reads messages of one wallet older than `beforeMs` that still have a text, final or not, at most `most`.
 */
export const readOldTexts = (
  db: Db,
  mark: RetentionMark,
  beforeMs: number,
  most: number,
): Promise<OldText[]> =>
  selectEach<OldText>(db, oldTexts, [
    [mark.accountId, mark.mode, mark.afterId, lowestIdAt('msg', beforeMs), most],
  ])

/** Erases texts, and the responses of webhook endpoints to them; the times of the messages stay unchanged. */
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
