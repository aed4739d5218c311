import type { Ids } from '../../runtime/ids.ts'
import { everySpelling, presentSpelling } from '../../numbers/number-changes.ts'
import type { OptOutOrigin } from '../../storage/tables/column-values.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { insertRows, selectEach, updateRows } from '../../storage/seam/sets.ts'
import type { Change } from '../core/change-number.ts'
import { type AccountEvent, recordEvents } from '../core/events.ts'
import { type Cancellation, cancelMessages } from '../queue/cancel-messages.ts'
import { isInForce, optOutKey, type OptOutRow, readOptOuts } from '../core/read-opt-outs.ts'

/** Numbers that an account must no longer send to. */
export interface NewOptOuts {
  accountId: string
  mode: Mode
  /** In E.164; stored in the present spelling. */
  recipients: readonly string[]
  origin: OptOutOrigin
  /** The device that received it. */
  deviceId?: string | null
  /** When it expires; null for never. */
  forgetAt?: number | null
}

export interface StoredOptOuts {
  /** Numbers that had not opted out before, or only for a time. */
  added: string[]
  /** Queued messages to them, which are canceled or recalled from phones. */
  canceled: Cancellation[]
}

/**
 * Stores opt-outs as one unit, and cancels queued messages to the numbers. Once an opt-out is stored, nothing
 * is submitted to its number (P9), because every claim reads the stored opt-outs. A permanent opt-out stays
 * unchanged. One that expires is replaced even if its end is in the future, as after a START from a node with
 * a fast clock.
 */
export async function storeOptOuts(
  tx: Tx,
  { ids, unit }: { ids: Ids; unit: Change },
  asked: NewOptOuts,
): Promise<StoredOptOuts> {
  const { accountId, mode, origin, deviceId = null, forgetAt = null } = asked
  const nowMs = unit.nowMs
  const recipients = [...new Set(asked.recipients.map(presentSpelling))]
  const stored = await readOptOuts(tx, asked, recipients.flatMap(everySpelling))
  const known = new Map(stored.map((row) => [row.recipient, row]))
  const stays = (row: OptOutRow): boolean =>
    row.forget_at === null || (forgetAt !== null && isInForce(row, nowMs))
  const added = recipients.filter((recipient) => {
    const rows = everySpelling(recipient).flatMap((each) => known.get(each) ?? [])
    return !rows.some(stays)
  })
  if (added.length === 0) return { added, canceled: [] }
  // Other processes remember only which accounts have any opt-outs.
  if (!(await hasOptOuts(tx, asked))) await touchDirectory(tx)
  const rows = added.map((recipient) => ({
    account_id: accountId,
    mode,
    recipient,
    created_at: nowMs,
    forget_at: forgetAt,
    origin,
    device_id: deviceId,
    confirmation_id: null,
  }))
  await insertRows(
    tx,
    'opt_outs',
    rows.filter(({ recipient }) => !known.has(recipient)),
  )
  await updateRows(
    tx,
    'opt_outs',
    optOutKey,
    rows.filter(({ recipient }) => known.has(recipient)),
  )
  const open = await selectEach<{ id: string }>(
    tx,
    openTo,
    added.flatMap(everySpelling).map((recipient) => [accountId, mode, recipient]),
  )
  const canceled = await cancelMessages(
    tx,
    unit,
    open.map(({ id }) => ({ accountId, mode, messageId: id })),
    'recipient_opted_out',
  )
  await recordEvents(
    tx,
    added.map((recipient) =>
      eventOf(ids, 'recipient.opted_out', { accountId, mode, recipient }, { origin, nowMs }),
    ),
  )
  return { added, canceled }
}

/** The ID of the event must not reveal the number. */
const eventOf = (
  ids: Ids,
  type: 'recipient.opted_out' | 'recipient.opted_in',
  { accountId, mode, recipient }: { accountId: string; mode: Mode; recipient: string },
  { origin, nowMs }: { origin: OptOutOrigin; nowMs: number },
): AccountEvent => ({
  type,
  accountId,
  mode,
  atMs: nowMs,
  subject: ids('evt'),
  facts: { origin },
  // Only the hash of an erased number is left, which identifies no one.
  recipient: recipient.startsWith('hash:') ? null : recipient,
})

const openTo = {
  sql: `select id from messages where account_id = :account and mode = :mode and recipient = :recipient and direction = 'outbound'
        and (status = 'scheduled' or status = 'queued')`,
  inputs: ['account', 'mode', 'recipient'],
} as const

async function hasOptOuts(
  tx: Tx,
  { accountId, mode }: Pick<NewOptOuts, 'accountId' | 'mode'>,
): Promise<boolean> {
  const row = await tx
    .selectFrom('opt_outs')
    .select('recipient')
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Ends an opt-out in any of `spellings` (an erased number is stored as its hash): messages to `recipient` are
 * allowed again. Returns whether there was one.
 */
export async function endOptOut(
  tx: Tx,
  ids: Ids,
  asked: {
    accountId: string
    mode: Mode
    recipient: string
    spellings: readonly string[]
    origin: OptOutOrigin
    nowMs: number
  },
): Promise<boolean> {
  const { nowMs } = asked
  const rows = (await readOptOuts(tx, asked, asked.spellings)).filter((row) => isInForce(row, nowMs))
  if (rows.length === 0) return false
  const ended = rows.map(({ account_id, mode, recipient }) => ({
    account_id,
    mode,
    recipient,
    forget_at: nowMs,
  }))
  await updateRows(tx, 'opt_outs', optOutKey, ended)
  await recordEvents(tx, [eventOf(ids, 'recipient.opted_in', asked, asked)])
  return true
}

/** Records which message confirms an opt-out to its number; only that message is still submitted. */
export const noteConfirmation = (
  tx: Tx,
  name: { accountId: string; mode: Mode; recipient: string },
  { messageId, nowMs }: { messageId: string; nowMs: number },
): Promise<number> =>
  updateRows(tx, 'opt_outs', optOutKey, [
    {
      account_id: name.accountId,
      mode: name.mode,
      recipient: name.recipient,
      confirmation_id: messageId,
      confirmed_at: nowMs,
    },
  ])
