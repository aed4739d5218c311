import { sql } from 'kysely'
import { allDone } from '../runtime/all-done.ts'
import { messageColumns, type MessageRow } from '../messages/core/message-store.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import { everyColumn } from '../storage/tables/every-column.ts'
import type { WebhookEventTable } from '../storage/tables/webhook-tables.ts'
import { selectEach, updateRows } from '../storage/seam/sets.ts'
import { dueWhateverThePause } from '../messages/core/events.ts'
import { formerSecretsOf } from './former-secrets.ts'
import type { FormerSecret } from '../storage/tables/json-columns.ts'

export interface DueEndpoint {
  accountId: string
  endpointId: string
}

/** One delivery in flight. Its result is accepted only with this token. */
export interface ClaimedDelivery extends DueEndpoint {
  token: number
  failures: number
  /**
   * Set for the trial delivery of a failing endpoint: until when it blocks other deliveries to the endpoint.
   */
  trialUntil: number | null
  url: string
  /** Sealed. */
  secret: string
  formerSecrets: readonly FormerSecret[]
  event: WebhookEventTable
  /**
   * The message of the event in its current state. Null when the event has none, and when the message was
   * purged.
   */
  message: MessageRow | null
}

/**
 * Returns the endpoints with a due delivery that can be attempted now. Steps from one endpoint to the next in
 * the index of open deliveries: the cost is one lookup per endpoint with open deliveries, however many there
 * are. With `exists`, or without an order, PostgreSQL would read everything that is due.
 */
export async function readDueEndpoints(read: Db, nowMs: number): Promise<DueEndpoint[]> {
  const { rows } = await sql<{ endpoint_id: string }>`
    with recursive e (endpoint_id) as (
      select (select d.endpoint_id from webhook_deliveries d where d.closed_at is null order by d.endpoint_id limit 1)
      union all
      select (select d.endpoint_id from webhook_deliveries d where d.closed_at is null and d.endpoint_id > e.endpoint_id
              order by d.endpoint_id limit 1)
      from e where e.endpoint_id is not null
    )
    select e.endpoint_id from e where e.endpoint_id is not null and (
      select 1 from webhook_deliveries d where d.endpoint_id = e.endpoint_id and d.closed_at is null and d.due_at <= ${nowMs}
      order by d.due_at limit 1) = 1`.execute(read)
  const endpoints = await selectEach<{ account_id: string; id: string }>(
    read,
    deliverable,
    rows.map((row) => [row.endpoint_id, nowMs]),
  )
  return endpoints.map((row) => ({ accountId: row.account_id, endpointId: row.id }))
}

const deliverable = {
  sql: `select w.account_id, w.id from webhook_endpoints w cross join accounts a on a.id = w.account_id
        where w.id = :endpoint and w.state = 'enabled' and a.state <> 'closed'
          and (w.resumes_at is null or w.resumes_at <= :now or (
            select 1 from webhook_deliveries d where d.endpoint_id = w.id and d.closed_at is null and d.due_at < 0
            order by d.due_at limit 1) = 1)`,
  inputs: ['endpoint', 'now'],
} as const

const pausesOf = {
  sql: 'select account_id, id, failing_since, resumes_at from webhook_endpoints where id = :endpoint',
  inputs: ['endpoint'],
} as const

interface EndpointPause {
  account_id: string
  id: string
  failing_since: number | null
  resumes_at: number | null
}

interface OpenRow {
  account_id: string
  endpoint_id: string
  event_id: string
  token: number
  failures: number
  url: string
  secret: string
  previous_secret: string | null
  previous_until: number | null
  older_secrets: string | null
}

const openOf = {
  sql: `select d.account_id, d.endpoint_id, d.event_id, d.token, d.failures, w.url, w.secret, w.previous_secret, w.previous_until, w.older_secrets
        from webhook_deliveries d cross join webhook_endpoints w on w.id = d.endpoint_id
        where d.endpoint_id = :endpoint and d.closed_at is null and d.due_at <= :now and w.state = 'enabled'
        order by d.due_at, d.event_id limit :most`,
  inputs: ['endpoint', 'now', 'most'],
} as const
const eventColumns = everyColumn<WebhookEventTable>({
  account_id: true, id: true, type: true, mode: true, at: true, sequence: true, previous_status: true,
  correction: true, message_id: true, status: true, parts_sent: true, charged: true, cost_state: true,
  device_id: true, receipt_expected: true, error_code: true, network_code: true, attempts: true,
  possible_duplicate: true, send_at: true, expires_at: true, sent_at: true, delivered_at: true,
  finalized_at: true, facts: true,
  recipient: true,
}) // prettier-ignore

// The limit keeps PostgreSQL from joining the whole table with the inputs.
const eventOf = {
  sql: `select ${eventColumns.join(', ')} from webhook_events where account_id = :account and id = :id limit 1`,
  inputs: ['account', 'id'],
} as const
const messageOf = {
  sql: `select ${messageColumns.join(', ')} from messages where account_id = :account and mode = :mode and id = :id limit 1`,
  inputs: ['account', 'mode', 'id'],
} as const

/**
 * Claims due deliveries of each endpoint, up to its `most`, oldest first, and leases them for `leaseMs`:
 * without a result by then they are due again. A failing endpoint gets one delivery at a time, a trial; while
 * it is paused, only deliveries that ignore the pause. Two nodes never claim the same delivery: the rows
 * decide, and writers take turns.
 */
export async function claimDeliveries(
  tx: Tx,
  {
    wants,
    nowMs,
    leaseMs,
  }: { wants: readonly (DueEndpoint & { most: number })[]; nowMs: number; leaseMs: number },
): Promise<ClaimedDelivery[]> {
  const pauses = await selectEach<EndpointPause>(
    tx,
    pausesOf,
    wants.map(({ endpointId }) => [endpointId]),
  )
  const failing = new Map(pauses.flatMap((row) => (row.failing_since === null ? [] : [[row.id, row]])))
  const paused = new Set(pauses.flatMap(({ id, resumes_at }) => ((resumes_at ?? 0) > nowMs ? [id] : [])))
  const open = await selectEach<OpenRow>(
    tx,
    openOf,
    wants.map(({ endpointId, most }) => {
      const isPaused = paused.has(endpointId)
      return [
        endpointId,
        isPaused ? dueWhateverThePause : nowMs,
        isPaused || failing.has(endpointId) ? 1 : most,
      ]
    }),
  )
  const tried = open.flatMap((row) => failing.get(row.endpoint_id) ?? [])
  const events = await selectEach<WebhookEventTable>(
    tx,
    eventOf,
    open.map((row) => [row.account_id, row.event_id]),
  )
  const eventsById = new Map(events.map((event) => [event.id, event]))
  const leaseEnd = nowMs + leaseMs
  const [messages] = await allDone([
    readMessages(tx, events),
    lease(tx, open, leaseEnd),
    pause(tx, tried, leaseEnd),
  ])
  return open.flatMap((row) => {
    const event = eventsById.get(row.event_id)
    if (event === undefined) return []
    const message = messages.get(event.message_id ?? '') ?? null
    return [
      { ...claimedFrom(row, event, message), trialUntil: failing.has(row.endpoint_id) ? leaseEnd : null },
    ]
  })
}

async function readMessages(
  tx: Tx,
  events: readonly WebhookEventTable[],
): Promise<ReadonlyMap<string, MessageRow>> {
  const about = new Map(
    events.flatMap(({ account_id, mode, message_id }) =>
      message_id === null ? [] : [[message_id, [account_id, mode, message_id]] as [string, string[]]],
    ),
  )
  const messages = await selectEach<MessageRow>(tx, messageOf, [...about.values()])
  return new Map(messages.map((message) => [message.id, message]))
}

const lease = (tx: Tx, rows: readonly OpenRow[], dueAt: number): Promise<number> =>
  updateRows(
    tx,
    'webhook_deliveries',
    ['account_id', 'endpoint_id', 'event_id'],
    rows.map(({ account_id, endpoint_id, event_id, token }) => ({
      account_id,
      endpoint_id,
      event_id,
      due_at: dueAt,
      token: token + 1,
    })),
  )

/**
 * Holds everything else for a failing endpoint until the result of its trial is known. A longer pause is
 * kept: the trial ignored it.
 */
const pause = (tx: Tx, rows: readonly EndpointPause[], resumesAt: number): Promise<number> =>
  updateRows(
    tx,
    'webhook_endpoints',
    ['account_id', 'id'],
    rows.map(({ account_id, id, resumes_at }) => ({
      account_id,
      id,
      resumes_at: Math.max(resumes_at ?? 0, resumesAt),
    })),
  )

const claimedFrom = (
  row: OpenRow,
  event: WebhookEventTable,
  message: MessageRow | null,
): Omit<ClaimedDelivery, 'trialUntil'> => ({
  accountId: row.account_id,
  endpointId: row.endpoint_id,
  token: row.token + 1,
  failures: row.failures,
  url: row.url,
  secret: row.secret,
  formerSecrets: formerSecretsOf(row),
  event,
  message,
})

/**
 * Makes deliveries due whose time is further ahead than any retry: a clock was ahead when they were stored.
 */
export async function resetFarDue(tx: Tx, latestMs: number): Promise<void> {
  await sql`update webhook_endpoints set resumes_at = null where resumes_at > ${latestMs}`.execute(tx)
  await sql`update webhook_deliveries set due_at = 0 where closed_at is null and due_at > ${latestMs}`.execute(
    tx,
  )
}
