import type { Insertable } from 'kysely'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { ReceiptExpectedTable } from '../../storage/tables/message-tables.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { deleteRows, insertRows, selectEach } from '../../storage/seam/sets.ts'
import type { Change } from '../core/change-number.ts'
import { closeReceipts } from './close-receipts.ts'
import { closeWaits } from './close-waits.ts'

interface Holder {
  network_id: string
  device_id: string
  account_id: string
  mode: Mode
  message_id: string
  attempt_number: number
  wire_parts: number
}

const holderOf = {
  sql: `select network_id, device_id, account_id, mode, message_id, attempt_number, wire_parts from receipts_expected
        where network_id = :network and device_id = :device and (message_id <> :message or attempt_number < :attempt)`,
  inputs: ['network', 'device', 'message', 'attempt'],
} as const

type Expected = Insertable<ReceiptExpectedTable>

/**
 * Expects receipts under network IDs. Carriers reuse IDs, and some return the same ID for all parts accepted
 * at the same time. Then the newest message owns the ID, and the older one's wait ends without a receipt,
 * because later receipts are not about it. `rows` must be in the order in which the messages were accepted.
 */
export async function expectUnderIds(tx: Tx, unit: Change, rows: readonly Expected[]): Promise<void> {
  const newest = newestOf(rows)
  const inserted = await insertRows(tx, 'receipts_expected', inKeyOrder([...newest.values()]), 'ignore')
  if (inserted === rows.length) return
  const holders = await selectEach<Holder>(
    tx,
    holderOf,
    [...newest.values()].map((row) => [row.network_id, row.device_id, row.message_id, row.attempt_number]),
  )
  const overtaken = rows.filter((row) => newest.get(keyOf(row))?.message_id !== row.message_id)
  const older = [...holders, ...overtaken]
  // Receipts of an earlier attempt of the same message are not expected: it waits for this attempt.
  const others = older.filter((row) => newest.get(keyOf(row))?.message_id !== row.message_id)
  const ended = await closeReceipts(
    tx,
    unit,
    others.map((row) => ({
      networkId: row.network_id,
      deviceId: row.device_id,
      accountId: row.account_id,
      mode: row.mode,
      messageId: row.message_id,
      attemptNumber: row.attempt_number,
      wireParts: row.wire_parts,
    })),
  )
  await deleteRows(tx, 'receipts_expected', ['network_id', 'device_id'], older)
  await insertRows(tx, 'receipts_expected', [...newest.values()], 'ignore')
  // Other receipts that a message waited for can be among the rows of this unit.
  await closeWaits(tx, ended)
}

/** Two nodes can insert IDs of one device at the same time, for different accounts: in one order, they never wait for each other both ways. */
export const inKeyOrder = <Row extends Pick<Expected, 'network_id' | 'device_id'>>(
  rows: readonly Row[],
): Row[] => rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

/** Returns the present owner of each ID: the message that was accepted last, by its last attempt. */
function newestOf(rows: readonly Expected[]): Map<string, Expected> {
  const newest = new Map<string, Expected>()
  for (const row of rows) {
    const known = newest.get(keyOf(row))
    const isEarlierTry = known?.message_id === row.message_id && known.attempt_number > row.attempt_number
    if (!isEarlierTry) newest.set(keyOf(row), row)
  }
  return newest
}

const keyOf = ({ network_id, device_id }: Pick<Expected, 'network_id' | 'device_id'>): string =>
  `${device_id}/${network_id}`
