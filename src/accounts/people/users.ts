import { invalidInput } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { AccountDeps } from '../core/accounts.ts'
import { endPasswordLinks } from './one-time-links.ts'

/** Renames a user. The caller has checked the name. */
export async function renameUser(
  tx: Tx,
  deps: AccountDeps,
  { userId, name, actor }: { userId: string; name: string; actor: string },
): Promise<void> {
  await tx.updateTable('users').set({ name }).where('id', '=', userId).execute()
  const detail = { userId, name }
  await appendAudit(tx, deps, { accountId: null, actor, action: 'user.changed', detail })
}

/**
 * Changes the address of a user, which the caller has checked; links that were sent to the former one are
 * revoked. Rejects the address of another user.
 */
export async function changeEmail(
  tx: Tx,
  deps: AccountDeps,
  change: { userId: string; email: string; actor: string },
): Promise<void> {
  const { userId, email, actor } = change
  await refuseTaken(tx, change)
  await tx.updateTable('users').set({ email }).where('id', '=', userId).execute()
  await endPasswordLinks(tx, userId, deps.nowMs)
  await appendAudit(tx, deps, { accountId: null, actor, action: 'user.changed', detail: { userId, email } })
}

/** Rejects the address of another user. */
export async function refuseTaken(
  db: Db | Tx,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  const other = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('id', '!=', userId)
    .executeTakeFirst()
  if (other !== undefined) {
    throw invalidInput([
      { pointer: '/email', code: 'not_in_enum', detail: 'Another user has this e-mail address.' },
    ])
  }
}
