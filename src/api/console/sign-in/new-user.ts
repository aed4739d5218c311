import type { AccountDeps } from '../../../accounts/core/accounts.ts'
import { setPassword } from '../../../accounts/people/passwords.ts'
import { invalidInput, nameFaults } from '../../../runtime/invalid-input.ts'
import type { Tx } from '../../../storage/seam/dialect.ts'

/**
 * Creates a user with a password; the caller has checked the address. Refuses an address of an existing user:
 * an address is no proof of identity, and neither is an invitation to it, which the inviting user can read.
 * Existing users sign in, or get a setup link from the operator.
 */
export async function newUser(
  tx: Tx,
  { ids, nowMs }: AccountDeps,
  { email, name, passwordHash }: { email: string; name: string; passwordHash: string },
): Promise<string> {
  const faults = nameFaults(name)
  if (faults.length > 0) throw invalidInput(faults)
  const known = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  if (known !== undefined) throw userExists()
  const userId = ids('usr')
  await tx
    .insertInto('users')
    .values({ id: userId, email, name, is_operator: 0, created_at: nowMs })
    .execute()
  await setPassword(tx, { nowMs }, { userId, passwordHash })
  return userId
}

const userExists = () =>
  invalidInput([
    {
      pointer: '/email',
      code: 'not_in_enum',
      detail:
        'A user with this e-mail address already exists. Sign in, reset the password, or ask the operator for a link to set one.',
    },
  ])
