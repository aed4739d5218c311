import { allDone } from '../../runtime/all-done.ts'
import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { everyColumn } from '../../storage/tables/every-column.ts'
import type { IdempotencyKeyTable, SendTable } from '../../storage/tables/message-tables.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { loneMessageId } from '../core/lone-sends.ts'
import { readMessagesOfSend } from '../core/message-store.ts'
import type { SendRequest, StoredSend } from './send-request.ts'

/** Reads the send stored under an idempotency key, or null. */
export async function findReplay(db: Db | Tx, name: KeyName): Promise<StoredSend | null> {
  const [row] = await readKeys(db, [name])
  return row === undefined ? null : readStoredSend(db, row)
}

const keyColumns = everyColumn<IdempotencyKeyTable>({
  account_id: true, mode: true, key: true, fingerprint: true, send_id: true, warnings: true,
  balance_available: true, created_at: true,
}) // prettier-ignore

const sendColumns = everyColumn<SendTable>({
  account_id: true, id: true, mode: true, key_id: true, first_message_id: true, last_message_id: true,
  smart_encoding_applied: true, created_at: true, send_at: true,
}) // prettier-ignore

const keyRow = {
  sql: `select ${keyColumns.join(', ')} from idempotency_keys where account_id = :account and mode = :mode and key = :key`,
  inputs: ['account', 'mode', 'key'],
  few: true,
} as const

const sendRow = {
  sql: `select ${sendColumns.join(', ')} from sends where account_id = :account and id = :send`,
  inputs: ['account', 'send'],
} as const

interface KeyName {
  accountId: string
  mode: SendRequest['mode']
  key: string
}

const readKeys = (db: Db | Tx, names: readonly KeyName[]): Promise<IdempotencyKeyTable[]> =>
  selectEach<IdempotencyKeyTable>(
    db,
    keyRow,
    names.map(({ accountId, mode, key }) => [accountId, mode, key]),
  )

async function readStoredSend(db: Db | Tx, row: IdempotencyKeyTable): Promise<StoredSend | null> {
  const [send] = await selectEach<Selectable<SendTable>>(db, sendRow, [[row.account_id, row.send_id]])
  if (send === undefined) return readLone(db, row)
  const messages = await readMessagesOfSend(db, send)
  return {
    fingerprint: row.fingerprint,
    send,
    messages,
    warnings: row.warnings,
    balanceAvailable: row.balance_available,
  }
}

/** Reads a send that has no row of its own; null if retention has removed its message. */
async function readLone(db: Db | Tx, row: IdempotencyKeyTable): Promise<StoredSend | null> {
  const { account_id, mode, send_id, fingerprint, warnings, balance_available: balanceAvailable } = row
  const id = loneMessageId(send_id)
  const range = { account_id, mode, id: send_id, first_message_id: id, last_message_id: id }
  const [message] = await readMessagesOfSend(db, range)
  if (message === undefined) return null
  const { key_id, created_at } = message
  const send = {
    ...range,
    key_id: key_id ?? '',
    smart_encoding_applied: 0,
    created_at,
    send_at: null,
  } as const
  return { fingerprint, send, messages: [message], warnings, balanceAvailable }
}

/**
 * Reads the stored send of each request's key, or null. A new key that is twice in a batch has none yet:
 * `sendMessages` rejects that.
 */
export async function findReplays(tx: Tx, requests: readonly SendRequest[]): Promise<(StoredSend | null)[]> {
  const keyOf = (accountId: string, mode: string, key: string): string =>
    JSON.stringify([accountId, mode, key])
  const names = requests.flatMap(({ accountId, mode, idempotency }) =>
    idempotency === null ? [] : [{ accountId, mode, key: idempotency.key }],
  )
  const rows = await readKeys(tx, names)
  const known = new Map(rows.map((row) => [keyOf(row.account_id, row.mode, row.key), row]))
  return allDone(
    requests.map(async ({ accountId, mode, idempotency }) => {
      const row = idempotency === null ? undefined : known.get(keyOf(accountId, mode, idempotency.key))
      return row === undefined ? null : readStoredSend(tx, row)
    }),
  )
}
