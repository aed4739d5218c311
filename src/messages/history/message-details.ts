import type { Db } from '../../storage/seam/dialect.ts'
import type { AttemptState } from '../../storage/tables/schema.ts'
import type { HistoryOwner } from './history-query.ts'
import { readTimelines, type TimelineEntry } from './history-timeline.ts'
import type { MessageRow } from '../core/message-store.ts'
import { withOpenAttempts } from '../core/open-attempt.ts'
import { priorityOf } from '../core/route-key.ts'
import { routeOf, routesAvoiding } from '../queue/queue-position.ts'

/** All that is known about one message: its sender, each attempt, the receipts still expected. */
export interface MessageDetails {
  message: MessageRow
  /**
   * API key or user that sent it; null for a received message, and when the record of its send was removed.
   */
  sentBy: string | null
  /** One entry for each status reached, oldest first. */
  timeline: TimelineEntry[]
  /** The newest attempts, oldest first. */
  attempts: StoryAttempt[]
  /** Number of receipts still expected. */
  receiptsAwaited: number
  /** The message that it follows, because that one was not delivered, and the one that follows it; null without. */
  follows: string | null
  followedBy: string | null
  /** When a queued message can be submitted next; null when that is not known. */
  dueAtMs: number | null
  /** The route on which it waits, which names the device that has refused it; null when that is not known. */
  routeKey: string | null
}

export interface StoryAttempt {
  id: string
  number: number
  deviceId: string
  state: AttemptState
  partsSent: number
  /** IDs that the network gave to the parts. */
  networkIds: string[]
  /** The kind of the outcome, or the code of the refusal. */
  outcome: string | null
  /** The original code of the device or network. */
  networkCode: string | null
  /**
   * The SIM of a phone, and the number of parts that the phone made; null until it reports them, and for
   * other devices.
   */
  sim: number | null
  phoneParts: number | null
  startedAtMs: number
  endedAtMs: number | null
  /** Why its device got the message; null as one of the first stage of its way. */
  why: string | null
}

/** Busy devices can refuse often; the last attempts show the outcome. */
const maxAttempts = 50
/** Maximum rows of its queue that are read to find a message. */
const maxWaitingRead = 2_500

/** Reads the details of one message of an owner; null when the ID is unknown. */
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
  await withOpenAttempts(db, [message])
  const [sentBy, timelines, attempts, receiptsAwaited, place, following] = await Promise.all([
    readSender(db, message),
    readTimelines(db, owner, [message]),
    readAttempts(db, message),
    countAwaited(db, message),
    readPlace(db, message),
    readFollowing(db, message),
  ])
  return { message, sentBy, timeline: timelines[0] ?? [], attempts, receiptsAwaited, ...place, ...following }
}

async function readFollowing(
  db: Db,
  { account_id, mode, id }: MessageRow,
): Promise<Pick<MessageDetails, 'follows' | 'followedBy'>> {
  const rowWith = (column: 'message_id' | 'follower_id') =>
    db
      .selectFrom('followers')
      .select(['message_id', 'follower_id'])
      .where('account_id', '=', account_id)
      .where('mode', '=', mode)
      .where(column, '=', id)
      .executeTakeFirst()
  // One statement for both would read all followers of the account on SQLite.
  const [asFollower, asFollowed] = await Promise.all([rowWith('follower_id'), rowWith('message_id')])
  return { follows: asFollower?.message_id ?? null, followedBy: asFollowed?.follower_id ?? null }
}

async function readSender(db: Db, { account_id, send_id, key_id }: MessageRow): Promise<string | null> {
  if (send_id === null || key_id !== null) return key_id
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
    why: row.why,
  }))
}

/** Finds receipts by the time at which the message was sent, because they are stored under it. */
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

type Place = Pick<MessageDetails, 'dueAtMs' | 'routeKey'>

const noPlace: Place = { dueAtMs: null, routeKey: null }

/**
 * Except for those that kept their position, no queued message is due before its last change, so the queue is
 * read from there.
 */
async function readPlace(db: Db, message: MessageRow): Promise<Place> {
  if (message.status !== 'queued' && message.status !== 'scheduled') return noPlace
  const deferred = await db
    .selectFrom('deferred')
    .select(['wake_at', 'route_key'])
    .where('account_id', '=', message.account_id)
    .where('mode', '=', message.mode)
    .where('message_id', '=', message.id)
    .executeTakeFirst()
  if (deferred !== undefined) return { dueAtMs: deferred.wake_at, routeKey: deferred.route_key }
  const avoiding = await routesAvoiding(db, [message])
  // A message that was requeued may have kept its first position. After the wall clock was set back, a message
  // is due before it was created: then nothing is shown.
  const positions = [...new Set([message.updated_at, message.send_at ?? message.created_at])]
  for (const routeKey of [routeOf(message), ...avoiding.map((route) => route.routeKey)])
    for (const fromMs of positions) {
      const dueAtMs = await readDueFrom(db, message, { routeKey, fromMs })
      if (dueAtMs !== null) return { dueAtMs, routeKey }
    }
  return noPlace
}

async function readDueFrom(
  db: Db,
  message: MessageRow,
  { routeKey, fromMs }: { routeKey: string; fromMs: number },
): Promise<number | null> {
  const later = db
    .selectFrom('queue')
    .select(['message_id', 'due_at'])
    .where('route_key', '=', routeKey)
    .where('account_id', '=', message.account_id)
    .where('priority', '=', priorityOf(message.category))
    .where('due_at', '>=', fromMs)
    .orderBy('due_at')
    .orderBy('message_id')
    .limit(maxWaitingRead)
  const place = await db
    .selectFrom(later.as('behind'))
    .select('due_at')
    .where('message_id', '=', message.id)
    .executeTakeFirst()
  return place?.due_at ?? null
}
