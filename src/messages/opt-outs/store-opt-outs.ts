import type { Ids } from '../../runtime/ids.ts'
import { everySpelling, presentSpelling } from '../../numbers/number-changes.ts'
import type { OptOutOrigin } from '../../storage/tables/column-values.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { insertRows, selectEach, updateRows } from '../../storage/seam/sets.ts'
import { type AccountEvent, recordEvents } from '../core/events.ts'
import { type Cancellation, cancelMessages } from '../queue/cancel-messages.ts'
import { holds, optOutKey, type OptOutRow, readOptOuts } from '../queue/stored-opt-outs.ts'

/** Numbers that an account must not write to any more. */
export interface NewOptOuts {
  accountId: string
  mode: Mode
  /** In E.164; what is stored is the present spelling of each. */
  recipients: readonly string[]
  origin: OptOutOrigin
  /** Which device heard it. */
  deviceId?: string | null
  /** When it ends by itself; null for never. */
  forgetAt?: number | null
  nowMs: number
}

export interface StoredOptOuts {
  /** The numbers that had not opted out before, or not for ever. */
  added: string[]
  /** What waited for them, and is canceled or asked back from phones. */
  canceled: Cancellation[]
}

/**
 * Stores opt-outs as one unit, and cancels what waits for the numbers: once it is stored, nothing is handed over to them (P9), for every claim
 * looks at what is stored. What holds for ever stays as it is. What has an end becomes what is asked for, though the end lie ahead, as that of a
 * START from a node whose clock is fast.
 */
export async function storeOptOuts(tx: Tx, ids: Ids, asked: NewOptOuts): Promise<StoredOptOuts> {
  const { accountId, mode, origin, deviceId = null, forgetAt = null, nowMs } = asked
  const recipients = [...new Set(asked.recipients.map(presentSpelling))]
  const stored = await readOptOuts(tx, asked, recipients.flatMap(everySpelling))
  const known = new Map(stored.map((row) => [row.recipient, row]))
  const stays = (row: OptOutRow): boolean =>
    row.forget_at === null || (forgetAt !== null && holds(row, nowMs))
  const added = recipients.filter((recipient) => {
    const rows = everySpelling(recipient).flatMap((each) => known.get(each) ?? [])
    return !rows.some(stays)
  })
  if (added.length === 0) return { added, canceled: [] }
  // What others keep in memory is only who has any at all.
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
    open.map(({ id }) => ({ accountId, mode, messageId: id })),
    { code: 'recipient_opted_out', nowMs },
  )
  await recordEvents(
    tx,
    added.map((recipient) =>
      eventOf(ids, 'recipient.opted_out', { accountId, mode, recipient }, { origin, nowMs }),
    ),
  )
  return { added, canceled }
}

/** The id of the event must not tell the number. */
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
  // Of an erased number there is only the hash, which says nothing to anybody.
  recipient: recipient.startsWith('hash:') ? null : recipient,
})

const openTo = {
  sql: `select id from messages where account_id = :account and mode = :mode and recipient = :recipient and direction = 'outbound'
        and (status = 'scheduled' or status = 'queued' or status = 'sending')`,
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
 * Ends an opt-out that holds, under whatever `spellings` it stands (an erased number stands under its hash): from now on `recipient` may be
 * written to. Says whether there was one.
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
  const rows = (await readOptOuts(tx, asked, asked.spellings)).filter((row) => holds(row, nowMs))
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

/** Of an opt-out: the message that tells its number so, which may go there. */
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
