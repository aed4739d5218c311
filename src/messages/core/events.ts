import { hash } from 'node:crypto'
import { allDone } from '../../runtime/all-done.ts'
import { idWith } from '../../runtime/ids.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { insertRows, selectEach } from '../../storage/seam/sets.ts'
import type { EventType, MessageEventType } from './event-types.ts'
import type { MessageRow } from './message-store.ts'

/**
 * One thing that happened to an account and is no message. `facts` is what the body shows under `data`: neither texts nor numbers, which would
 * outlive their erasure; the number that it is about stands in `recipient`.
 */
export interface AccountEvent {
  type: Exclude<EventType, MessageEventType>
  accountId: string
  /** What has no mode of its own, as a device or the account itself, is told as `live`. */
  mode: Mode
  atMs: number
  /** Names what it is about, so that two things within one millisecond stay two. */
  subject: string
  facts: Readonly<Record<string, unknown>>
  recipient?: string | null
}

/** A message that has just moved: as it stands now, and where it stood. */
export interface MessageEvent {
  message: ToldMessage
  previousStatus: MessageRow['status'] | null
  correction: boolean
}

const named = ['account_id', 'mode', 'id', 'status', 'parts_sent', 'charged', 'cost_state', 'attempts', 'possible_duplicate', 'updated_at'] as const // prettier-ignore
const mayBeMissing = ['sequence', 'device_id', 'receipt_expected', 'error_code', 'network_code', 'send_at', 'expires_at', 'sent_at', 'delivered_at', 'reported_sent_at', 'reported_delivered_at', 'finalized_at'] as const // prettier-ignore
/** Of a message what moves. A row that is about to be inserted will do: what it leaves out is empty, and its sequence 1. */
export type ToldMessage = Pick<MessageRow, (typeof named)[number]> &
  Partial<Pick<MessageRow, (typeof mayBeMissing)[number]>>

/**
 * Writes what happened into the outbox, for each endpoint that wants it, in the transaction in which it happened (P11). Where no account
 * concerned has an endpoint that costs one look-up for the batch, and nothing is written. Tells nobody: the deliverer finds it. What is recorded
 * already is left as it is.
 */
export async function recordEvents(tx: Tx, events: readonly AccountEvent[]): Promise<void> {
  const accountIds = new Set(events.map(({ accountId }) => accountId))
  await record(tx, accountIds, () => events.map(accountEventRow), 'ignore')
}

/** The same of messages, each of whose states is told once. What nobody is told of, such as that a device has it, is left out here: callers give every move. */
export async function recordMessageEvents(tx: Tx, events: readonly MessageEvent[]): Promise<void> {
  const told = events.filter(isTold)
  const accountIds = new Set(told.map(({ message }) => message.account_id))
  await record(tx, accountIds, () => told.map(messageEventRow), 'fail')
}

/** Since when something is due that somebody waits for: before all others, and while its endpoint is left alone. */
export const dueWhateverThePause = -1

/** Writes an event for one endpoint alone, whatever it chose, and gives its id: somebody asked for it and waits. */
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
 * A message that comes back to wait was told to wait already, and a link that is pressed for time would tell so every two seconds. One that stays
 * scheduled has another time.
 */
const isTold = ({ message, previousStatus }: MessageEvent): boolean =>
  message.status !== 'sending' &&
  (message.status !== previousStatus || message.status === 'scheduled') &&
  !(message.status === 'queued' && previousStatus === 'sending')

interface Choice {
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
} as const

type EventRow = ReturnType<typeof messageEventRow> | ReturnType<typeof accountEventRow>

async function record(
  tx: Tx,
  accountIds: ReadonlySet<string>,
  rowsOf: () => EventRow[],
  onConflict: 'ignore' | 'fail',
): Promise<void> {
  const found = await selectEach<Choice>(
    tx,
    choices,
    [...accountIds].map((accountId) => [accountId]),
  )
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
      // At once, whatever the clock does until it is tried.
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

/** Their sequence is the time: whoever keeps the highest one of a subject keeps the latest. */
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
 * The id of an event follows from what happened and when: whoever records the same thing again, as a transaction that is run anew does, gives it
 * the same id. The time stands in front as in every id; in the place of chance stands the SHA-256 of what names the happening.
 */
export const eventIdOf = (atMs: number, ...happening: readonly (string | number)[]): string =>
  idWith('evt', atMs, hash('sha256', happening.join('\0'), 'buffer'))
