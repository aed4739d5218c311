import type { AccountDeps } from '../../../accounts/core/accounts.ts'
import { setPassword } from '../../../accounts/people/passwords.ts'
import { invalidInput, nameFaults } from '../../../runtime/invalid-input.ts'
import type { Tx } from '../../../storage/seam/dialect.ts'

/**
 * Makes a user with a password; the caller has checked the address. Refuses one that a user has: an address is no proof, and neither is an
 * invitation to it, which whoever invites can read. That person signs in, or has a set-up link of the operator.
 */
export async function newUser(
  tx: Tx,
  { ids, nowMs }: AccountDeps,
  { email, name, passwordHash }: { email: string; name: string; passwordHash: string },
): Promise<string> {
  const faults = nameFaults(name)
  if (faults.length > 0) throw invalidInput(faults)
  const known = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  if (known !== undefined) throw knownAlready()
  const userId = ids('usr')
  await tx
    .insertInto('users')
    .values({ id: userId, email, name, is_operator: 0, created_at: nowMs })
    .execute()
  await setPassword(tx, { nowMs }, { userId, passwordHash })
  return userId
}

const knownAlready = () =>
  invalidInput([
    {
      pointer: '/email',
      code: 'not_in_enum',
      detail:
        'There is a user with this e-mail address already. Sign in, have a new password mailed to it, or ask the operator for a link to choose one.',
    },
  ])
