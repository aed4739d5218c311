import { refuse } from '../runtime/errors.ts'
import type { MessageRow } from '../messages/core/message-store.ts'
import type { Db } from '../storage/seam/dialect.ts'
import type { Mode } from '../storage/tables/schema.ts'
import { selectEach } from '../storage/seam/sets.ts'
import { eventBody, type RenderMessage } from './event-body.ts'

/** One event on its way to one endpoint. */
export interface ListedDelivery {
  endpointId: string
  eventId: string
  type: string
  mode: Mode
  at: number
  messageId: string | null
  /** `waiting`: an attempt is due, the first one or a retry. */
  state: 'waiting' | 'delivered' | 'given_up' | 'dropped'
  failures: number
  /** Time of the next attempt; null when there is none. */
  dueAt: number | null
  lastTry: DeliveryTry | null
}

export interface DeliveryTry {
  at: number
  durationMs: number
  /** HTTP status of the response; null without a response. */
  status: number | null
  failure: string | null
  answer: string | null
}

interface Row {
  account_id: string
  endpoint_id: string
  event_id: string
  due_at: number
  failures: number
  outcome: 'delivered' | 'given_up' | 'dropped' | null
  type: string
  mode: Mode
  at: number
  message_id: string | null
}

const columns =
  'd.account_id, d.endpoint_id, d.event_id, d.due_at, d.failures, d.outcome, v.type, v.mode, v.at, v.message_id'

const ofEndpoint = {
  sql: `select ${columns} from webhook_deliveries d
        cross join webhook_events v on v.account_id = d.account_id and v.id = d.event_id
        where d.account_id = :account and d.endpoint_id = :endpoint and d.event_id < :before
        order by d.event_id desc limit :most`,
  inputs: ['account', 'endpoint', 'before', 'most'],
} as const

const ofMessage = {
  sql: `select ${columns} from webhook_events v
        cross join webhook_endpoints w on w.account_id = v.account_id
        cross join webhook_deliveries d on d.account_id = v.account_id and d.endpoint_id = w.id and d.event_id = v.id
        where v.account_id = :account and v.message_id = :message and w.state <> 'removed'`,
  inputs: ['account', 'message'],
} as const

const one = {
  sql: `select ${columns} from webhook_deliveries d
        cross join webhook_events v on v.account_id = d.account_id and v.id = d.event_id
        where d.account_id = :account and d.endpoint_id = :endpoint and d.event_id = :event limit 1`,
  inputs: ['account', 'endpoint', 'event'],
} as const

const lastTryOf = {
  sql: `select endpoint_id, event_id, at, duration_ms, status, failure, answer from webhook_attempts
        where account_id = :account and endpoint_id = :endpoint and event_id = :event order by token desc limit 1`,
  inputs: ['account', 'endpoint', 'event'],
} as const

/** Sorts after every event ID. */
const afterAllEvents = 'evt_~'

/** Lists the deliveries of an endpoint, newest first, after `beforeId`. */
export async function listDeliveries(
  read: Db,
  asked: { accountId: string; endpointId: string; beforeId?: string | null; limit: number },
): Promise<{ deliveries: ListedDelivery[]; nextBeforeId: string | null }> {
  const { accountId, endpointId, beforeId, limit } = asked
  const inputs = [accountId, endpointId, beforeId ?? afterAllEvents, limit]
  const deliveries = await withTries(read, await selectEach<Row>(read, ofEndpoint, [inputs]))
  return {
    deliveries,
    nextBeforeId: deliveries.length < limit ? null : (deliveries.at(-1)?.eventId ?? null),
  }
}

/** Lists the deliveries of one message to all endpoints, oldest first. */
export async function listDeliveriesOfMessage(
  read: Db,
  { accountId, messageId }: { accountId: string; messageId: string },
): Promise<ListedDelivery[]> {
  const rows = await selectEach<Row>(read, ofMessage, [[accountId, messageId]])
  return withTries(
    read,
    rows.toSorted((a, b) => (a.event_id < b.event_id ? -1 : 1)),
  )
}

/**
 * Returns one delivery with all its attempts, and the body that is posted. Refuses a delivery that does not
 * exist.
 */
export async function readDelivery(
  read: Db,
  renderMessage: RenderMessage,
  asked: { accountId: string; endpointId: string; eventId: string },
): Promise<{ delivery: ListedDelivery; body: string | null; tries: DeliveryTry[] }> {
  const { accountId, endpointId, eventId } = asked
  const [delivery] = await withTries(
    read,
    await selectEach<Row>(read, one, [[accountId, endpointId, eventId]]),
  )
  if (delivery === undefined)
    throw refuse('not_found', { detail: `No delivery of ${eventId} to ${endpointId}.` })
  const event = await read
    .selectFrom('webhook_events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', eventId)
    .executeTakeFirstOrThrow()
  const message: MessageRow | undefined = await read
    .selectFrom('messages')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('mode', '=', event.mode)
    .where('id', '=', event.message_id ?? '')
    .executeTakeFirst()
  const tries = await listTries(read, asked)
  return { delivery, body: eventBody(renderMessage, event, message ?? null), tries }
}

/** Returns the attempts of one delivery, oldest first. */
export async function listTries(
  read: Db,
  { accountId, endpointId, eventId }: { accountId: string; endpointId: string; eventId: string },
): Promise<DeliveryTry[]> {
  const tries = await read
    .selectFrom('webhook_attempts')
    .select(['at', 'duration_ms', 'status', 'failure', 'answer'])
    .where('account_id', '=', accountId)
    .where('endpoint_id', '=', endpointId)
    .where('event_id', '=', eventId)
    .orderBy('token')
    .limit(maxTries)
    .execute()
  return tries.map(tryOf)
}

/** Ten, and ten more for each resend. */
const maxTries = 100

interface TryRow {
  at: number
  duration_ms: number
  status: number | null
  failure: string | null
  answer: string | null
}

const tryOf = ({ at, duration_ms, status, failure, answer }: TryRow): DeliveryTry => ({
  at,
  durationMs: duration_ms,
  status,
  failure,
  answer,
})

async function withTries(read: Db, rows: readonly Row[]): Promise<ListedDelivery[]> {
  const tries = await selectEach<TryRow & { endpoint_id: string; event_id: string }>(
    read,
    lastTryOf,
    rows.map((row) => [row.account_id, row.endpoint_id, row.event_id]),
  )
  const lastTries = new Map(tries.map((row) => [`${row.endpoint_id}/${row.event_id}`, tryOf(row)]))
  return rows.map((row) => ({
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    type: row.type,
    mode: row.mode,
    at: row.at,
    messageId: row.message_id,
    state: row.outcome ?? 'waiting',
    failures: row.failures,
    dueAt: row.outcome === null ? row.due_at : null,
    lastTry: lastTries.get(`${row.endpoint_id}/${row.event_id}`) ?? null,
  }))
}
