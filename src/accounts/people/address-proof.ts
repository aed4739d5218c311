import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { AccountDeps } from '../core/accounts.ts'
import { removePasskeys } from './passkeys.ts'
import { endFormerSignIns, removeSecondFactor } from './passwords.ts'

/** What the first proof of an address removed. */
export interface Removed {
  secondFactor: boolean
  passkeys: number
}

/**
 * Records that a user opened a link that was sent to their address. The first time, everything set up before
 * is removed: until then the address may have been claimed by another person, whose second factor and
 * passkeys would survive the new password. All sessions except the named one are closed. Returns what the
 * first proof removed; null for a later one.
 */
export async function proveAddress(
  tx: Tx,
  deps: AccountDeps,
  { userId, actor, keepSessionId = '' }: { userId: string; actor: string; keepSessionId?: string },
): Promise<Removed | null> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ email_proven_at: deps.nowMs })
    .where('id', '=', userId)
    .where('email_proven_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return null
  const secondFactor = await hasSecondFactor(tx, userId)
  if (secondFactor) await removeSecondFactor(tx, deps, { userId, actor })
  // Also clears an incomplete second factor: no code for it could be entered.
  await tx.updateTable('auth_users').set({ twoFactorEnabled: 0 }).where('id', '=', userId).execute()
  const passkeys = await removePasskeys(tx, deps, { userId, actor })
  await endFormerSignIns(tx, userId)
  await tx.deleteFrom('auth_sessions').where('userId', '=', userId).where('id', '!=', keepSessionId).execute()
  await appendAudit(tx, deps, { accountId: null, actor, action: 'user.email_proven', detail: { userId } })
  return { secondFactor, passkeys }
}

/** Includes a second factor that is not confirmed yet: its recovery codes exist. */
const hasSecondFactor = async (tx: Tx, userId: string): Promise<boolean> =>
  (await tx.selectFrom('auth_two_factors').select('id').where('userId', '=', userId).executeTakeFirst()) !==
  undefined
