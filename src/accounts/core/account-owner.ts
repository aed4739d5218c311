import { rfc3339 } from '../../runtime/clock.ts'
import { refuse } from '../../runtime/errors.ts'
import type { Ids } from '../../runtime/ids.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import type { Tx } from '../../storage/seam/dialect.ts'

/** The owner of a new account. */
export interface WantedOwner {
  name: string
  /** Validated, in lower case. */
  email: string
  /** An existing user whom the caller has identified: the address alone does not identify the owner. */
  userId?: string
  isOperator: boolean
}

/** The user who already has the address of a new account. */
export interface KnownUser {
  id: string
  name: string
  since: string
  accounts: { id: string; name: string; role: 'owner' | 'member' }[]
}

/**
 * Returns the user with this ID, or creates one. Rejects the address of an existing user whose ID was not
 * given: addresses are not proven at sign-up, so the first user to claim it would get the account. The
 * rejection names that user, and whether the address was proven.
 */
export async function accountOwner(
  tx: Tx,
  deps: { ids: Ids; nowMs: number },
  wanted: WantedOwner,
): Promise<{ userId: string; isNewUser: boolean }> {
  const { name, email, isOperator } = wanted
  const known = await tx.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
  if (wanted.userId !== undefined && known?.id !== wanted.userId)
    throw invalidInput([
      {
        pointer: '/user_id',
        code: 'not_in_enum',
        detail: `The user with the e-mail address ${email} is not ${wanted.userId}.`,
      },
    ])
  if (known === undefined) {
    const id = deps.ids('usr')
    const row = { id, email, name, is_operator: isOperator ? 1 : 0, created_at: deps.nowMs } as const
    await tx.insertInto('users').values(row).execute()
    return { userId: id, isNewUser: true }
  }
  if (wanted.userId === undefined)
    throw claimedBy(email, await describe(tx, known), known.email_proven_at !== null)
  if (isOperator && known.is_operator === 0)
    await tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', known.id).execute()
  return { userId: known.id, isNewUser: false }
}

async function describe(
  tx: Tx,
  { id, name, created_at }: { id: string; name: string; created_at: number },
): Promise<KnownUser> {
  const accounts = await tx
    .selectFrom('account_users as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['a.id', 'a.name', 'm.role'])
    .where('m.user_id', '=', id)
    .orderBy('a.id')
    .limit(maxNamed)
    .execute()
  return { id, name, since: rfc3339(created_at), accounts }
}

const maxNamed = 20

function claimedBy(email: string, user: KnownUser, isProven: boolean) {
  const accounts = user.accounts.map((account) => `${account.role} of ${account.name} (${account.id})`)
  const whose = accounts.length === 0 ? 'in no account' : accounts.join(', ')
  const detail = `The e-mail address ${email} is already in use by ${user.name} (${user.id}), since ${user.since}, ${whose}. ${isProven ? 'The user has confirmed it by a link. If' : 'It is not confirmed: ask the user first. If'} the new account is for this user, name the user (user_id, on the command line --user: ${user.id}).`
  const errors = [{ pointer: '/email', code: 'not_in_enum', detail }] as const
  return refuse('validation_failed', { detail, errors, known_user: user })
}
