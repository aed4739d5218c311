import type { HistoryOwner, HistoryPosition, HistoryQuery } from '../../src/messages/history/history-query.ts'
import { everyMessage } from '../../src/messages/history/history-query.ts'
import { readHistory } from '../../src/messages/history/history.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { recordChanges } from '../../src/messages/core/message-changes.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import type { Storage } from '../../src/storage/seam/storage.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { storedForm } from '../../src/messages/core/open-attempt.ts'

export const ada: HistoryOwner = { accountId: 'acc_ada', mode: 'live' }

/** A queued message as accept stores it, with what a test wants otherwise. */
export const storedMessage = (row: Partial<MessageRow> & { id: string; created_at: number }): MessageRow => ({
  account_id: ada.accountId,
  mode: ada.mode,
  send_id: null,
  key_id: null,
  direction: 'outbound',
  status: 'queued',
  recipient: '+4915112345678',
  sender: null,
  way: null,
  country: 'DE',
  category: 'transactional',
  text: 'Hello',
  text_redacted: 0,
  encoding: 'gsm7',
  units: 5,
  parts: 1,
  parts_sent: 0,
  held: 1,
  charged: 0,
  cost_state: 'held',
  on_unknown: 'stop',
  fallback: null,
  paid_by: 'balance',
  device_id: null,
  receipt_expected: null,
  error_code: null,
  network_code: null,
  attempts: 0,
  possible_duplicate: 0,
  corrected: 0,
  encoding_forced: 0,
  sequence: 1,
  client_reference: null,
  received_at: null,
  reported_sent_at: null,
  reported_delivered_at: null,
  metadata: '{}',
  send_at: null,
  expires_at: row.created_at + 86_400_000,
  sent_at: null,
  delivered_at: null,
  finalized_at: null,
  settled_at: null,
  updated_at: row.created_at,
  ...row,
})

/** The same without the columns that versions before ways did not have. */
export function storedBeforeWays(...message: Parameters<typeof storedMessage>): Omit<MessageRow, 'way'> {
  const { way: _, ...before } = storedMessage(...message)
  return before
}

/** What makes a message a delivered one. */
export const deliveredAt = (atMs: number): Partial<MessageRow> => ({
  status: 'delivered',
  parts_sent: 1,
  charged: 1,
  cost_state: 'charged',
  device_id: 'dev_1',
  receipt_expected: 1,
  attempts: 1,
  sent_at: atMs,
  delivered_at: atMs,
  finalized_at: atMs,
  settled_at: atMs,
  updated_at: atMs,
})

export const failedAt = (atMs: number, code: string): Partial<MessageRow> => ({
  status: 'failed',
  cost_state: 'released',
  error_code: code,
  finalized_at: atMs,
  settled_at: atMs,
  updated_at: atMs,
})

/** What makes a message wait, or be in flight on a device since it was claimed. */
export const waitingAt = (atMs: number, sendingOn: string | null): Partial<MessageRow> => ({
  status: sendingOn === null ? 'queued' : 'sending',
  device_id: sendingOn,
  attempts: sendingOn === null ? 0 : 1,
  sequence: sendingOn === null ? 1 : 2,
  updated_at: atMs,
})

const attemptOf = ({ account_id, mode, id, attempts, device_id, updated_at }: MessageRow) => ({
  account_id,
  mode,
  message_id: id,
  number: attempts,
  id: `att_${account_id}_${mode}_${id}`,
  device_id: device_id ?? '',
  fence: 1,
  state: 'handing_over' as const,
  started_at: updated_at,
})

/** Each millisecond in which they changed is a unit of its own, and the earlier ones are before the later ones. */
export const store = (storage: Pick<Storage, 'writer'>, rows: readonly MessageRow[]): Promise<void> =>
  storage.writer.write(async (tx) => {
    const inFlight = rows.filter(({ status }) => status === 'sending')
    await insertRows(
      tx,
      'messages',
      rows.map((row) => ({ ...storedForm(row), updated_at: row.updated_at })),
    )
    await insertRows(tx, 'attempts', inFlight.map(attemptOf))
    const times = Map.groupBy(rows, (row) => row.updated_at)
    for (const [atMs, changed] of [...times].toSorted(([one], [other]) => one - other))
      await recordChanges(tx, await takeChange(tx, atMs), changed)
  })

export interface Walk {
  query?: Partial<HistoryQuery>
  owner?: HistoryOwner
  limit?: number
  /** Called between two pages. */
  between?: () => Promise<void>
}

/** Follows the pages to the last one; gives every message in the order shown, and how many pages that took. */
export async function walkHistory(
  storage: Pick<Storage, 'read'>,
  walk: Walk = {},
): Promise<{ rows: MessageRow[]; pages: number }> {
  const { query = {}, owner = ada, limit = 100, between } = walk
  const rows: MessageRow[] = []
  let position: HistoryPosition | null = null
  for (let pages = 1; ; pages++) {
    const asked = { owner, query: { ...everyMessage, ...query }, position, limit }
    const page = await readHistory(storage.read, asked)
    rows.push(...page.rows)
    if (page.next === null) return { rows, pages }
    position = page.next
    await between?.()
  }
}

export const idsOf = (rows: readonly { id: string }[]): string[] => rows.map((row) => row.id)
