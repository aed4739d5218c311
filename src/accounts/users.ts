import { invalidInput } from '../invalid-input.ts'
import { appendAudit } from '../storage/audit-log.ts'
import type { Tx } from '../storage/dialect.ts'
import type { AccountDeps } from './accounts.ts'

/** Changes a user's name and address, which the caller has checked. Refuses an address that another user has. */
export async function changeUser(
  tx: Tx,
  deps: AccountDeps,
  change: { userId: string; name?: string; email: string; actor: string },
): Promise<void> {
  const { userId, name, email, actor } = change
  const other = await tx
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
  await tx
    .updateTable('users')
    .set({ email, ...(name === undefined ? {} : { name }) })
    .where('id', '=', userId)
    .execute()
  await appendAudit(tx, deps, { accountId: null, actor, action: 'user.changed', detail: { ...change } })
}
