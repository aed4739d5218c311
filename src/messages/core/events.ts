import { hash } from 'node:crypto'
import { allDone } from '../../runtime/all-done.ts'
import { idWith } from '../../runtime/ids.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { insertRows, selectEach } from '../../storage/seam/sets.ts'
import type { EventType, MessageEventType } from './event-types.ts'
import type { MessageRow } from './message-store.ts'

/**
 * An event of an account that is not about a message. `facts` becomes `data` in the body. It holds neither
 * texts nor numbers, because they would outlive their erasure; the number that the event is about is in
 * `recipient`.
 */
export interface AccountEvent {
  type: Exclude<EventType, MessageEventType>
  accountId: string
  /**
   * Events without a mode of their own, such as those of a device or of the account itself, are sent as
   * `live`.
   */
  mode: Mode
  atMs: number
  /** Identifies the subject, so that two events within one millisecond stay separate. */
  subject: string
  facts: Readonly<Record<string, unknown>>
  recipient?: string | null
}

/** A message that has just moved: its new state and its former status. */
export interface MessageEvent {
  message: EventMessage
  previousStatus: MessageRow['status'] | null
  correction: boolean
}

const named = ['account_id', 'mode', 'id', 'status', 'parts_sent', 'charged', 'cost_state', 'attempts', 'possible_duplicate', 'updated_at'] as const // prettier-ignore
const mayBeMissing = ['sequence', 'device_id', 'receipt_expected', 'error_code', 'network_code', 'send_at', 'expires_at', 'sent_at', 'delivered_at', 'reported_sent_at', 'reported_delivered_at', 'finalized_at'] as const // prettier-ignore
/**
 * The columns that a move changes. A row that is about to be inserted is sufficient: missing columns count as
 * null, and a missing sequence as 1.
 */
export type EventMessage = Pick<MessageRow, (typeof named)[number]> &
  Partial<Pick<MessageRow, (typeof mayBeMissing)[number]>>

/**
 * Writes events into the outbox, for each endpoint that subscribes to them, in the transaction that caused
 * them (P11). When none of the accounts has an endpoint, this costs one lookup for the batch and writes
 * nothing. It does not notify the deliverer, which polls. An event that is already recorded stays unchanged.
 */
export async function recordEvents(tx: Tx, events: readonly AccountEvent[]): Promise<void> {
  const chosen = await readSubscriptions(tx, new Set(events.map(({ accountId }) => accountId)))
  await record(tx, chosen, () => events.map(accountEventRow), 'ignore')
}

/**
 * Records the events of messages, once for each status. Callers pass every move; moves without an event, such
 * as to `sending`, are skipped. `chosen` are the subscriptions of their accounts, if they were read before.
 */
export async function recordMessageEvents(
  tx: Tx,
  events: readonly MessageEvent[],
  chosen?: readonly Choice[],
): Promise<void> {
  const reported = events.filter(isReported)
  const accountIds = new Set(reported.map(({ message }) => message.account_id))
  const all = chosen ?? (await readSubscriptions(tx, accountIds))
  await record(tx, all, () => reported.map(messageEventRow), 'fail')
}

/** Sorts before all other due times, and is also due while the endpoint is paused: for a user who waits. */
export const dueWhateverThePause = -1

/**
 * Writes an event for one endpoint only, regardless of its subscriptions, and returns its ID: a user
 * requested it and waits.
 */
export async function recordEventFor(tx: Tx, endpointId: string, event: AccountEvent): Promise<string> {
  const row = accountEventRow(event)
  const delivery = {
    account_id: row.account_id,
    endpoint_id: endpointId,
    event_id: row.id,
    due_at: dueWhateverThePause,
  }
  await allDone([
    insertRows(tx, 'webhook_events', [row], 'ignore'),
    insertRows(tx, 'webhook_deliveries', [delivery], 'ignore'),
  ])
  return row.id
}

/**
 * A requeued message was already reported as queued, and a throttled link would repeat that event every second.
 * A message that stays `scheduled` has a new time.
 */
const isReported = ({ message, previousStatus }: MessageEvent): boolean =>
  message.status !== 'sending' &&
  (message.status !== previousStatus || message.status === 'scheduled') &&
  !(message.status === 'queued' && previousStatus === 'sending')

/** One type of events that an endpoint subscribes to; null for all. */
export interface Choice {
  account_id: string
  endpoint_id: string
  mode: Mode | null
  type: string | null
}

const choices = {
  sql: `select e.account_id, e.id as endpoint_id, e.mode, t.type from webhook_endpoints e
        left join webhook_endpoint_types t on t.account_id = e.account_id and t.endpoint_id = e.id
        where e.account_id = :account and e.state = 'enabled'`,
  inputs: ['account'],
  few: true,
} as const

/** Reads which endpoints of these accounts subscribe to what. */
export const readSubscriptions = (tx: Tx, accountIds: ReadonlySet<string>): Promise<Choice[]> =>
  selectEach<Choice>(
    tx,
    choices,
    [...accountIds].map((accountId) => [accountId]),
  )

type EventRow = ReturnType<typeof messageEventRow> | ReturnType<typeof accountEventRow>

async function record(
  tx: Tx,
  found: readonly Choice[],
  rowsOf: () => EventRow[],
  onConflict: 'ignore' | 'fail',
): Promise<void> {
  if (found.length === 0) return
  const choicesOf = Map.groupBy(found, ({ account_id }) => account_id)
  const wanted = rowsOf()
    .map((event) => ({ event, endpointIds: endpointsFor(event, choicesOf.get(event.account_id) ?? []) }))
    .filter(({ endpointIds }) => endpointIds.size > 0)
  const events = wanted.map(({ event }) => event)
  const deliveries = wanted.flatMap(({ event, endpointIds }) =>
    [...endpointIds].map((endpointId) => ({
      account_id: event.account_id,
      endpoint_id: endpointId,
      event_id: event.id,
      // Due immediately, even if the clock is set back before the attempt.
      due_at: 0,
    })),
  )
  await allDone([
    insertRows(tx, 'webhook_events', events, onConflict),
    insertRows(tx, 'webhook_deliveries', deliveries, onConflict),
  ])
}

const endpointsFor = (event: EventRow, from: readonly Choice[]): Set<string> =>
  new Set(
    from
      .filter(
        ({ mode, type }) => (mode === null || mode === event.mode) && (type === null || type === event.type),
      )
      .map(({ endpoint_id }) => endpoint_id),
  )

const messageEventRow = ({ message, previousStatus, correction }: MessageEvent) => {
  const sequence = message.sequence ?? 1
  return {
    account_id: message.account_id,
    id: eventIdOf(message.updated_at, message.id, sequence),
    type: `message.${message.status}`,
    mode: message.mode,
    at: message.updated_at,
    sequence,
    previous_status: previousStatus,
    correction: correction ? (1 as const) : (0 as const),
    message_id: message.id,
    status: message.status,
    parts_sent: message.parts_sent,
    charged: message.charged,
    cost_state: message.cost_state,
    device_id: message.device_id ?? null,
    receipt_expected: message.receipt_expected ?? null,
    error_code: message.error_code ?? null,
    network_code: message.network_code ?? null,
    attempts: message.attempts,
    possible_duplicate: message.possible_duplicate,
    send_at: message.send_at ?? null,
    expires_at: message.expires_at ?? null,
    sent_at: message.reported_sent_at ?? message.sent_at ?? null,
    delivered_at: message.reported_delivered_at ?? message.delivered_at ?? null,
    finalized_at: message.finalized_at ?? null,
  }
}

/** Uses the time as sequence: the highest sequence of a subject is its latest event. */
const accountEventRow = ({
  type,
  accountId,
  mode,
  atMs,
  subject,
  facts,
  recipient = null,
}: AccountEvent) => ({
  account_id: accountId,
  id: eventIdOf(atMs, type, accountId, mode, subject),
  type,
  mode,
  at: atMs,
  sequence: atMs,
  previous_status: null,
  correction: 0 as const,
  message_id: null,
  facts: JSON.stringify(facts),
  recipient,
})

/**
 * Derives the ID of an event from its content and time: recording the same event again, as a repeated
 * transaction does, gives the same ID. It starts with the time, like every ID; a SHA-256 of the identifying
 * values replaces the random part.
 */
export const eventIdOf = (atMs: number, ...identity: readonly (string | number)[]): string =>
  idWith('evt', atMs, hash('sha256', identity.join('\0'), 'buffer'))
