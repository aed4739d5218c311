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
  created_at: number
  finalized_at: number | null
}

const oldTexts = {
  sql: `select account_id, mode, id, created_at, finalized_at from messages
        where account_id = :account and mode = :mode and id > :after and id < :before and text is not null
        order by id limit :most`,
  inputs: ['account', 'mode', 'after', 'before', 'most'],
} as const

/**
 * Reads messages of one wallet that still have a text, final or not, at most `most`: all that are older than `beforeMs`,
 * and younger ones where IDs may be ahead of their messages by `lagMs` (`readClockLag`).
 */
export const readTexts = (
  db: Db,
  mark: RetentionMark,
  { beforeMs, lagMs }: { beforeMs: number; lagMs: number },
  most: number,
): Promise<OldText[]> =>
  selectEach<OldText>(db, oldTexts, [
    [mark.accountId, mark.mode, mark.afterId, lowestIdAt('msg', beforeMs + lagMs), most],
  ])

/** Returns whether the text of a message is no longer kept. A message that is not final keeps its own. */
export const isServed = (
  { created_at, finalized_at }: Pick<OldText, 'created_at' | 'finalized_at'>,
  beforeMs: number,
): boolean => finalized_at !== null && created_at < beforeMs

/** Erases texts, and the responses of webhook endpoints to them; the times of the messages stay unchanged. */
export async function eraseTexts(
  tx: Tx,
  messages: readonly Pick<OldText, 'account_id' | 'mode' | 'id'>[],
): Promise<void> {
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
