import type { Ids } from '../../runtime/ids.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Change } from '../core/change-number.ts'
import type { OptOutOrigin } from '../../storage/tables/column-values.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { endOptOut, storeOptOuts, type StoredOptOuts } from './store-opt-outs.ts'

/** What users do with the opt-outs of an account: list, add and remove. */

interface Owner {
  accountId: string
  mode: Mode
}

interface By {
  ids: Ids
  nowMs: number
  origin: Exclude<OptOutOrigin, 'message'>
  /** For the audit log. */
  actor: string
}

export interface ListedOptOut {
  /** The number, or the hash of an erased one. */
  recipient: string
  isErased: boolean
  origin: OptOutOrigin
  sinceMs: number
  /** When it expires; null for never. */
  endsAtMs: number | null
}

/** Maximum stored in one transaction, which other writes wait for. */
export const maxAddedAtOnce = 500

/**
 * Lists the opt-outs that apply, newest first, after the one in `after`; only those of one number when
 * `recipients` has its spellings.
 */
export async function listOptOuts(
  db: Db,
  asked: Owner & {
    nowMs: number
    limit: number
    after?: { sinceMs: number; recipient: string } | null
    recipients?: readonly string[] | null
  },
): Promise<ListedOptOut[]> {
  const { accountId, mode, nowMs, limit, after = null, recipients = null } = asked
  let query = db
    .selectFrom('opt_outs')
    .select(['recipient', 'origin', 'created_at', 'forget_at'])
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .where(({ eb, or }) => or([eb('forget_at', 'is', null), eb('forget_at', '>', nowMs)]))
    .orderBy('created_at', 'desc')
    .orderBy('recipient', 'desc')
    .limit(limit)
  if (after !== null)
    query = query
      .where('created_at', '<=', after.sinceMs)
      .where(({ eb, or }) =>
        or([eb('created_at', '<', after.sinceMs), eb('recipient', '<', after.recipient)]),
      )
  if (recipients !== null) query = query.where('recipient', 'in', recipients)
  return (await query.execute()).map((row) => ({
    recipient: row.recipient,
    isErased: row.recipient.startsWith('hash:'),
    origin: row.origin,
    sinceMs: row.created_at,
    endsAtMs: row.forget_at,
  }))
}

/**
 * Stores opt-outs that people requested in another way, up to `maxAddedAtOnce`. The audit log records how
 * many, not which.
 */
export async function addOptOuts(
  tx: Tx,
  { ids, unit, origin, actor }: Omit<By, 'nowMs'> & { unit: Change },
  { accountId, mode, numbers }: Owner & { numbers: readonly string[] },
): Promise<StoredOptOuts> {
  const nowMs = unit.nowMs
  const stored = await storeOptOuts(tx, { ids, unit }, { accountId, mode, recipients: numbers, origin })
  const detail = { mode, added: stored.added.length, canceled: stored.canceled.length }
  if (stored.added.length > 0)
    await appendAudit(tx, { ids, nowMs }, { accountId, actor, action: 'opt_outs.added', detail })
  return stored
}

/** Removes an opt-out, in any of its spellings. Returns whether there was one. */
export async function removeOptOut(
  tx: Tx,
  { ids, nowMs, origin, actor }: By,
  { accountId, mode, recipient, spellings }: Owner & { recipient: string; spellings: readonly string[] },
): Promise<boolean> {
  const was = await endOptOut(tx, ids, { accountId, mode, recipient, spellings, origin, nowMs })
  const detail = { mode, number: recipient }
  if (was) await appendAudit(tx, { ids, nowMs }, { accountId, actor, action: 'opt_out.removed', detail })
  return was
}
