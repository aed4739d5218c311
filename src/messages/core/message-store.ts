import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { everyColumn } from '../../storage/tables/every-column.ts'
import type { Flag, MessageTable, Mode } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { markSending, type OpenAttempt, withOpenAttempts } from './open-attempt.ts'

export type MessageRow = Selectable<MessageTable>

/**
 * Identifies one message. The account comes first in every query, so that an account cannot read another's
 * messages.
 */
export interface MessageKey {
  accountId: string
  mode: Mode
  messageId: string
}

export const messageColumns = everyColumn<MessageTable>({
  account_id: true, mode: true, id: true, send_id: true, key_id: true, direction: true, status: true, recipient: true,
  sender: true, country: true, category: true, text: true, text_redacted: true, encoding: true,
  units: true, parts: true, parts_sent: true, held: true, charged: true, cost_state: true,
  on_unknown: true, paid_by: true, fallback: true, device_id: true, receipt_expected: true, error_code: true, network_code: true,
  attempts: true, possible_duplicate: true, corrected: true, sequence: true, client_reference: true,
  metadata: true, created_at: true, send_at: true, expires_at: true, sent_at: true, delivered_at: true,
  finalized_at: true, settled_at: true, updated_at: true, encoding_forced: true,
  received_at: true, reported_sent_at: true, reported_delivered_at: true, way: true,
}) // prettier-ignore

/**
 * The columns that a change of state reads and writes: all that move, and those that cost and retries depend
 * on.
 */
export const stateColumns = [
  'account_id', 'mode', 'id', 'status', 'recipient', 'sender', 'category', 'parts', 'parts_sent', 'held', 'charged', 'cost_state',
  'on_unknown', 'paid_by', 'fallback', 'device_id', 'receipt_expected', 'error_code', 'network_code', 'attempts', 'possible_duplicate', 'corrected',
  'sequence', 'created_at', 'send_at', 'expires_at', 'sent_at', 'delivered_at', 'finalized_at', 'settled_at', 'updated_at', 'encoding_forced',
  'reported_sent_at', 'reported_delivered_at', 'way',
] as const satisfies readonly (keyof MessageTable)[] // prettier-ignore

export type MessageState = Pick<MessageRow, (typeof stateColumns)[number]>

/** The columns with the times of submission and delivery. */
export type MessageTimes = Pick<
  MessageRow,
  'sent_at' | 'delivered_at' | 'reported_sent_at' | 'reported_delivered_at'
>

/**
 * When the network accepted a message: the time that its device reported, else the time of the report, which
 * is always in `sent_at`.
 */
export const sentAtOf = (row: Pick<MessageTimes, 'sent_at' | 'reported_sent_at'>): number | null =>
  row.reported_sent_at ?? row.sent_at

/** When the handset received it, by the same rule. */
export const deliveredAtOf = (
  row: Pick<MessageTimes, 'delivered_at' | 'reported_delivered_at'>,
): number | null => row.reported_delivered_at ?? row.delivered_at

/** Lists `m.account_id, m.mode, …`, for statements with joins. */
export const stateColumnsOf = (alias: string): string =>
  stateColumns.map((column) => `${alias}.${column}`).join(', ')

/** With the open attempt, in one statement: every outcome reads both. */
const byKey = {
  sql: `select ${stateColumnsOf('m')}, o.number as open_number, o.id as open_id, o.device_id as open_device, o.started_at as open_since, o.restore_hold as open_hold, o.plan_counts as open_counts
        from messages m left join attempts o on o.account_id = :account and o.mode = :mode and o.message_id = :id and o.ended_at is null
        where m.account_id = :account and m.mode = :mode and m.id = :id`,
  inputs: ['account', 'mode', 'id'],
} as const

type OpenColumns = {
  open_number: number | null
  open_id: string
  open_device: string
  open_since: number
  open_hold: Flag
  open_counts: OpenAttempt['plan_counts']
}

const openAttemptOf = (row: MessageState & OpenColumns): OpenAttempt[] =>
  row.open_number === null
    ? []
    : [
        {
          account_id: row.account_id,
          mode: row.mode,
          message_id: row.id,
          number: row.open_number,
          id: row.open_id,
          device_id: row.open_device,
          started_at: row.open_since,
          restore_hold: row.open_hold,
          plan_counts: row.open_counts,
        },
      ]

/** Reads the states of these messages, in their order; unknown messages are omitted. */
export const readStates = async (db: Db | Tx, keys: readonly MessageKey[]): Promise<MessageState[]> =>
  (await readStatesAndOpen(db, keys)).states

/** Reads the same, and the open attempts among them by the ID of their message. */
export async function readStatesAndOpen(
  db: Db | Tx,
  keys: readonly MessageKey[],
): Promise<{ states: MessageState[]; open: ReadonlyMap<string, OpenAttempt> }> {
  const rows = await selectEach<MessageState & OpenColumns>(
    db,
    byKey,
    keys.map((key) => [key.accountId, key.mode, key.messageId]),
  )
  const open = new Map(rows.flatMap(openAttemptOf).map((attempt) => [attempt.message_id, attempt]))
  return { states: open.size === 0 ? rows : markSending<MessageState>(rows, open), open }
}

const ofSend = {
  sql: `select ${messageColumns.join(', ')} from messages
        where account_id = :account and mode = :mode and id >= :first and id <= :last and send_id = :send order by id`,
  inputs: ['account', 'mode', 'first', 'last', 'send'],
} as const

/** Reads the messages of one send, in the order of its recipients. */
export const readMessagesOfSend = async (
  db: Db | Tx,
  send: { account_id: string; mode: Mode; id: string; first_message_id: string; last_message_id: string },
): Promise<MessageRow[]> => {
  const { account_id, mode, id, first_message_id: first, last_message_id: last } = send
  const rows = await selectEach<MessageRow>(db, ofSend, [[account_id, mode, first, last, id]])
  return withOpenAttempts(db, rows)
}
