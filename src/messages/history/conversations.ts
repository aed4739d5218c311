import { sql } from 'kysely'
import { everySpelling, presentSpelling } from '../../numbers/number-changes.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { type HistoryOwner, maxRowsRead } from './history-query.ts'
import type { MessageRow } from '../core/message-store.ts'
import { withOpenAttempts } from '../core/open-attempt.ts'

/**
 * Conversations: messages to and from one number, in one thread. A conversation begins when the number writes
 * first.
 */

export interface Conversation {
  number: string
  /** The newest message to or from it. */
  last: MessageRow
}

/**
 * Returns numbers by their last message to the account, newest first: those whose last one is older than the
 * message `beforeId`. A page can be shorter than `limit`.
 */
export async function readConversations(
  db: Db,
  owner: HistoryOwner,
  { beforeId, limit }: { beforeId: string | null; limit: number },
): Promise<{ conversations: Conversation[]; nextBeforeId: string | null }> {
  const received = await receivedBefore(db, owner, beforeId)
  const newest = new Map<string, { number: string; id: string }>()
  for (const { id, sender } of received) {
    // Messages of erased people have no number, so they cannot be assigned to a conversation.
    if (sender === null || newest.has(presentSpelling(sender))) continue
    newest.set(presentSpelling(sender), { number: sender, id })
  }
  const listedEarlier =
    beforeId === null ? new Set<string>() : await wroteSince(db, owner, [...newest.keys()], beforeId)
  const found = [...newest].flatMap(([present, { number, id }]): [string, string][] =>
    listedEarlier.has(present) ? [] : [[number, id]],
  )
  const shown = found.slice(0, limit)
  const next =
    found.length > limit ? shown.at(-1)?.[1] : received.length === maxRowsRead ? received.at(-1)?.id : null
  const conversations = await Promise.all(
    shown.map(async ([number]) => {
      const [last] = (await readConversation(db, owner, { number, beforeId: null, limit: 1 })).rows
      return last === undefined ? [] : [{ number, last }]
    }),
  )
  return { conversations: conversations.flat(), nextBeforeId: next ?? null }
}

/** Returns one page of the messages to and from a number, in any of its spellings, newest first. */
export async function readConversation(
  db: Db,
  { accountId, mode }: HistoryOwner,
  asked: { number: string; beforeId: string | null; limit: number },
): Promise<{ rows: MessageRow[]; nextBeforeId: string | null }> {
  const { number, beforeId, limit } = asked
  const spellings = [...new Set([number, ...everySpelling(number)])]
  const of = () => {
    const rows = db
      .selectFrom('messages')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('mode', '=', mode)
      .orderBy('id', 'desc')
      .limit(limit + 1)
    return beforeId === null ? rows : rows.where('id', '<', beforeId)
  }
  const pages = await Promise.all([
    of().where('recipient', 'in', spellings).where('direction', '=', 'outbound').execute(),
    of().where(isInbound).where('sender', 'in', spellings).execute(),
  ])
  const all = pages.flat().toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const rows = await withOpenAttempts(db, all.slice(0, limit))
  return { rows, nextBeforeId: all.length > limit ? (rows.at(-1)?.id ?? null) : null }
}

/** A literal, so that SQLite can use the partial index of received messages. */
const isInbound = sql<boolean>`direction = 'inbound'`

async function receivedBefore(
  db: Db,
  { accountId, mode }: HistoryOwner,
  beforeId: string | null,
): Promise<{ id: string; sender: string | null }[]> {
  let query = db
    .selectFrom('messages')
    .select(['id', 'sender'])
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .where(isInbound)
    .orderBy('id', 'desc')
    .limit(maxRowsRead)
  if (beforeId !== null) query = query.where('id', '<', beforeId)
  return query.execute()
}

const receivedSince = {
  sql: `select sender as number from messages where account_id = :account and mode = :mode and direction = 'inbound' and sender = :sender
        and id >= :since limit 1`,
  inputs: ['account', 'mode', 'sender', 'since'],
} as const

/**
 * Returns which of these numbers, by their present spelling, have written since: they are on an earlier page.
 */
async function wroteSince(
  db: Db,
  { accountId, mode }: HistoryOwner,
  numbers: readonly string[],
  sinceId: string,
): Promise<Set<string>> {
  const inputs = numbers.flatMap(everySpelling).map((number) => [accountId, mode, number, sinceId])
  const rows = await selectEach<{ number: string }>(db, receivedSince, inputs)
  return new Set(rows.map(({ number }) => presentSpelling(number)))
}
