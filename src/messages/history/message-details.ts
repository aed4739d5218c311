import { sql, type SqlBool } from 'kysely'
import type { Db } from '../../storage/seam/dialect.ts'
import type { AttemptState } from '../../storage/tables/schema.ts'
import type { HistoryOwner } from './history-query.ts'
import { readTimelines, type TimelineEntry } from './history-timeline.ts'
import { type MessageRow, priorityOf } from '../core/message-store.ts'
import { routeOf, routesAvoiding } from '../queue/queue-position.ts'

/** All that is known of one message: how it came about, each hand-over, what is still waited for. */
export interface MessageDetails {
  message: MessageRow
  /** Who sent it: an API key or a person; null for a received one, and when the record of its send is gone. */
  sentBy: string | null
  /** One entry for each state reached, oldest first. */
  timeline: TimelineEntry[]
  /** The newest hand-overs, oldest first. */
  attempts: StoryAttempt[]
  /** Receipts of the network that are still waited for. */
  receiptsAwaited: number
  /** When it may be handed over next, of a message that waits; null when that is not known. */
  dueAtMs: number | null
}

export interface StoryAttempt {
  id: string
  number: number
  deviceId: string
  state: AttemptState
  partsSent: number
  /** What the network calls its parts. */
  networkIds: string[]
  /** The kind of the outcome, or the code of the refusal. */
  outcome: string | null
  /** What the device or network said, word for word. */
  networkCode: string | null
  /** The SIM of a phone, and how many parts the phone made; null where it has not said, and for other devices. */
  sim: number | null
  phoneParts: number | null
  startedAtMs: number
  endedAtMs: number | null
}

/** Busy devices may refuse often; the last hand-overs tell what became of the message. */
const maxAttempts = 50
/** How far back in its queue a message is looked for. */
const maxWaitingRead = 2_500

/** The story of one message of an owner; null when there is none by this id. */
export async function readMessageDetails(
  db: Db,
  owner: HistoryOwner,
  messageId: string,
): Promise<MessageDetails | null> {
  const message = await db
    .selectFrom('messages')
    .selectAll()
    .where('account_id', '=', owner.accountId)
    .where('mode', '=', owner.mode)
    .where('id', '=', messageId)
    .executeTakeFirst()
  if (message === undefined) return null
  const [sentBy, timelines, attempts, receiptsAwaited, dueAtMs] = await Promise.all([
    readSender(db, message),
    readTimelines(db, owner, [message]),
    readAttempts(db, message),
    countAwaited(db, message),
    readDueAt(db, message),
  ])
  return { message, sentBy, timeline: timelines[0] ?? [], attempts, receiptsAwaited, dueAtMs }
}

async function readSender(db: Db, { account_id, send_id }: MessageRow): Promise<string | null> {
  if (send_id === null) return null
  const send = await db
    .selectFrom('sends')
    .select('key_id')
    .where('account_id', '=', account_id)
    .where('id', '=', send_id)
    .executeTakeFirst()
  return send?.key_id ?? null
}

async function readAttempts(db: Db, { account_id, mode, id }: MessageRow): Promise<StoryAttempt[]> {
  const rows = await db
    .selectFrom('attempts')
    .leftJoin('phone_offers', 'phone_offers.attempt_id', 'attempts.id')
    .selectAll('attempts')
    .select(['phone_offers.sim', 'phone_offers.parts as phoneParts'])
    .where('attempts.account_id', '=', account_id)
    .where('attempts.mode', '=', mode)
    .where('attempts.message_id', '=', id)
    .orderBy('attempts.number', 'desc')
    .limit(maxAttempts)
    .execute()
  return rows.toReversed().map((row) => ({
    id: row.id,
    number: row.number,
    deviceId: row.device_id,
    state: row.state,
    partsSent: row.parts_sent,
    networkIds: row.network_ids === null ? [] : (JSON.parse(row.network_ids) as string[]),
    outcome: row.outcome,
    networkCode: row.network_code,
    sim: row.sim,
    phoneParts: row.phoneParts,
    startedAtMs: row.started_at,
    endedAtMs: row.ended_at,
  }))
}

/** Found by the time at which the message was sent, under which its receipts are expected. */
async function countAwaited(db: Db, message: MessageRow): Promise<number> {
  if (message.sent_at === null || message.finalized_at !== null) return 0
  const { awaited } = await db
    .selectFrom('receipts_expected')
    .select(({ fn }) => fn.countAll<number>().as('awaited'))
    .where('account_id', '=', message.account_id)
    .where('mode', '=', message.mode)
    .where('sent_at', '=', message.sent_at)
    .where('message_id', '=', message.id)
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return awaited
}

/** But for what kept its place nothing that waits is due before its last change, so the queue is read from there on. */
async function readDueAt(db: Db, message: MessageRow): Promise<number | null> {
  if (message.status !== 'queued' && message.status !== 'scheduled') return null
  const deferred = await db
    .selectFrom('deferred')
    .select('wake_at')
    .where('account_id', '=', message.account_id)
    .where('mode', '=', message.mode)
    .where('message_id', '=', message.id)
    .executeTakeFirst()
  if (deferred !== undefined) return deferred.wake_at
  const kept = await db
    .selectFrom('queue')
    .select('due_at')
    .where('account_id', '=', message.account_id)
    .where('mode', '=', message.mode)
    .where(sql<SqlBool>`changed_at > due_at`)
    .where('changed_at', '=', message.updated_at)
    .where('message_id', '=', message.id)
    .executeTakeFirst()
  if (kept !== undefined) return kept.due_at
  const atHome = await readDueBehind(db, message, routeOf(message))
  if (atHome !== null) return atHome
  for (const { routeKey } of await routesAvoiding(db, [message])) {
    const dueAt = await readDueBehind(db, message, routeKey)
    if (dueAt !== null) return dueAt
  }
  return null
}

async function readDueBehind(db: Db, message: MessageRow, routeKey: string): Promise<number | null> {
  const behind = db
    .selectFrom('queue')
    .select(['message_id', 'due_at'])
    .where('route_key', '=', routeKey)
    .where('account_id', '=', message.account_id)
    .where('priority', '=', priorityOf(message.category))
    .where('due_at', '>=', message.updated_at)
    .orderBy('due_at')
    .orderBy('message_id')
    .limit(maxWaitingRead)
  const place = await db
    .selectFrom(behind.as('behind'))
    .select('due_at')
    .where('message_id', '=', message.id)
    .executeTakeFirst()
  return place?.due_at ?? null
}
