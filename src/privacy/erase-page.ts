import { type Change, takeChange } from '../messages/core/change-number.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import type { Direction, MessageStatus, Mode } from '../storage/tables/schema.ts'
import { deleteRows, selectEach, updateRows } from '../storage/seam/sets.ts'
import { type PartReport, readJson, writeJson } from '../storage/tables/json-columns.ts'
import type { AttemptTable } from '../storage/tables/message-tables.ts'
import { cancelMessages } from '../messages/queue/cancel-messages.ts'
import { rangeOfUnknownParts } from '../messages/outcomes/unknown-parts.ts'
import type { EraseDeps } from './erase-deps.ts'
import { eraseWebhooksAbout } from './erase-webhooks.ts'
import { erasedNumber } from '../messages/core/erased-number.ts'
import type { MessageErrorCode } from '../messages/core/message-errors.ts'

export interface ErasedPage {
  erased: number
  /** Queued messages that were canceled first. */
  canceled: number
  /** Messages in flight, which were skipped. */
  inFlight: number
  /** Phones that were sent a recall; the caller wakes them. */
  deviceIds: string[]
}

export const nothingErased: ErasedPage = { erased: 0, canceled: 0, inFlight: 0, deviceIds: [] }

export const addPages = (a: ErasedPage, b: ErasedPage): ErasedPage => ({
  erased: a.erased + b.erased,
  canceled: a.canceled + b.canceled,
  inFlight: a.inFlight + b.inFlight,
  deviceIds: [...new Set([...a.deviceIds, ...b.deviceIds])],
})

export interface Wallet {
  accountId: string
  mode: Mode
}

interface Row {
  account_id: string
  mode: Mode
  id: string
  direction: Direction
  status: MessageStatus
  recipient: string
  sender: string | null
}

const rowOf = {
  sql: `select account_id, mode, id, direction, status, recipient, sender from messages
        where account_id = :account and mode = :mode and id = :id`,
  inputs: ['account', 'mode', 'id'],
} as const

/**
 * Erases texts, references and numbers in a page of messages of one wallet, and in their attempts: with
 * `party` the other side's number, with `both` also one's own. Queued messages are canceled first (P8);
 * messages in flight are skipped, and recalled from phones. Times, states and sums stay unchanged, including
 * the time of the last change.
 */
async function erasePage(
  tx: Tx,
  unit: Change,
  { accountId, mode }: Wallet,
  ids: readonly string[],
  how: { sides: 'party' | 'both'; code: MessageErrorCode },
): Promise<ErasedPage> {
  const read = () =>
    selectEach<Row>(
      tx,
      rowOf,
      ids.map((id) => [accountId, mode, id]),
    )
  const open = (await read()).filter(({ status }) => isOpen(status))
  const cancellations = await cancelMessages(
    tx,
    unit,
    open.map(({ id }) => ({ accountId, mode, messageId: id })),
    how.code,
  )
  const rows = await read()
  const done = rows.filter(({ status }) => !isOpen(status))
  await dropUnknownParts(tx, done)
  await updateRows(
    tx,
    'messages',
    ['account_id', 'mode', 'id'],
    done.map((row) => erasedRow(row, how.sides)),
  )
  // The network's original codes, which can contain the number.
  await updateRows(
    tx,
    'attempts',
    ['account_id', 'mode', 'message_id'],
    done.map((row) => ({
      account_id: row.account_id,
      mode: row.mode,
      message_id: row.id,
      network_code: null,
      // The key of the number in SIM plans: what they counted stays counted.
      plan_counts: null,
    })),
  )
  await eraseReasons(tx, done)
  await eraseWebhooksAbout(tx, done)
  return {
    erased: done.length,
    canceled: cancellations.filter(({ result }) => result === 'canceled').length,
    inFlight: rows.length - done.length,
    deviceIds: cancellations.flatMap(({ deviceId }) => (deviceId === null ? [] : [deviceId])),
  }
}

const reportsOf = {
  sql: `select account_id, mode, message_id, number, part_reports from attempts
        where account_id = :account and mode = :mode and message_id = :message and part_reports is not null`,
  inputs: ['account', 'mode', 'message'],
} as const

/** Erases the network's codes in what was reported of parts; the states stay. */
async function eraseReasons(tx: Tx, done: readonly Row[]): Promise<void> {
  const rows = await selectEach<
    Pick<AttemptTable, 'account_id' | 'mode' | 'message_id' | 'number'> & { part_reports: string }
  >(
    tx,
    reportsOf,
    done.map(({ account_id, mode, id }) => [account_id, mode, id]),
  )
  await updateRows(
    tx,
    'attempts',
    ['account_id', 'mode', 'message_id', 'number'],
    rows.map(({ part_reports, ...key }) => ({
      ...key,
      part_reports: writeJson(readJson<readonly PartReport[]>(part_reports).map(withoutNetworkCode)),
    })),
  )
}

const withoutNetworkCode = ({ reason, ...report }: PartReport): PartReport => ({
  ...report,
  reason: reason === null ? null : { ...reason, networkCode: null },
})

/** Erases one page as a separate unit. */
export function writeErasedPage(
  { writer, clock }: Pick<EraseDeps, 'writer' | 'clock'>,
  wallet: Wallet,
  ids: readonly string[],
  { sides, code }: { sides: 'party' | 'both'; code: MessageErrorCode },
): Promise<ErasedPage> {
  return writer.write(async (tx) =>
    erasePage(tx, await takeChange(tx, clock.now()), wallet, ids, { sides, code }),
  )
}

/** Of a message in flight its row says `queued` (open-attempt.ts). */
const isOpen = (status: MessageStatus): boolean => status === 'scheduled' || status === 'queued'

function erasedRow({ account_id, mode, id, direction, recipient, sender }: Row, sides: 'party' | 'both') {
  const isOutbound = direction === 'outbound'
  return {
    account_id,
    mode,
    id,
    recipient: sides === 'both' || isOutbound ? erasedNumber : recipient,
    sender: sides === 'both' || !isOutbound ? null : sender,
    text: null,
    text_redacted: 1 as const,
    client_reference: null,
    metadata: '{}',
    network_code: null,
  }
}

const placesOf = {
  sql: `select network_id, device_id from receipts_expected
        where network_id > :begin and network_id < :behind and account_id = :account and mode = :mode and message_id = :message`,
  inputs: ['begin', 'behind', 'account', 'mode', 'message'],
} as const

/** Deletes the keys of parts with unknown outcome, which contain the end of the recipient's number. */
async function dropUnknownParts(tx: Tx, rows: readonly Row[]): Promise<void> {
  const places = await selectEach<{ network_id: string; device_id: string }>(
    tx,
    placesOf,
    rows.map((row) => [...rangeOfUnknownParts(row.recipient), row.account_id, row.mode, row.id]),
  )
  await deleteRows(tx, 'receipts_expected', ['network_id', 'device_id'], places)
}
