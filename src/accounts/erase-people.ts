import type { Tx } from '../storage/dialect.ts'
import { deleteRows, updateRows } from '../storage/sets.ts'

/** Small pieces, so that sending never waits long for one. */
const pageSize = 100
const erasedPerson = 'Erased person'

/**
 * Takes people out of an account that is being erased. Who is in no other one is erased: sign-in, sessions, links, name and address; the id stays,
 * which ledger and audit log name. Operators of the instance are left as they are. One page and its memberships go together, so that whoever was cut
 * off finds the rest. Gives how many people it took out; 0 at the end.
 */
export async function erasePeople(tx: Tx, _: unknown, { accountId }: { accountId: string }): Promise<number> {
  const members = await tx
    .selectFrom('account_users')
    .innerJoin('users', 'users.id', 'account_users.user_id')
    .select(['users.id', 'users.email', 'users.is_operator'])
    .where('account_users.account_id', '=', accountId)
    .orderBy('users.id')
    .limit(pageSize)
    .execute()
  if (members.length === 0) return 0
  const elsewhere = await tx
    .selectFrom('account_users')
    .select('user_id')
    .where('account_id', '!=', accountId)
    .where(
      'user_id',
      'in',
      members.map(({ id }) => id),
    )
    .execute()
  const stays = new Set(elsewhere.map((row) => row.user_id))
  const gone = members.filter(({ id, is_operator }) => is_operator === 0 && !stays.has(id))
  await eraseSignIns(tx, gone)
  await eraseMentions(tx, gone)
  await updateRows(
    tx,
    'users',
    ['id'],
    // An address that nobody has (RFC 2606, section 2), and that differs as each must.
    gone.map(({ id }) => ({ id, name: erasedPerson, email: `${id}@erased.invalid` })),
  )
  const memberships = members.map(({ id }) => ({ account_id: accountId, user_id: id }))
  return deleteRows(tx, 'account_users', ['account_id', 'user_id'], memberships)
}

/** Invitations to the account, which hold addresses. Gives how many; 0 when there are none. */
export async function eraseInvitations(
  tx: Tx,
  _: unknown,
  { accountId }: { accountId: string },
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('one_time_links')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

interface Person {
  id: string
  email: string
}

/** Sessions, passwords and second factors go with the auth user. */
async function eraseSignIns(tx: Tx, people: readonly Person[]): Promise<void> {
  if (people.length === 0) return
  const ids = people.map(({ id }) => id)
  await tx.deleteFrom('auth_users').where('id', 'in', ids).execute()
  const pending = await tx.selectFrom('auth_verifications').select(['id', 'identifier', 'value']).execute()
  const about = pending.filter((row) => names(`${row.identifier} ${row.value}`, people))
  await deleteRows(tx, 'auth_verifications', ['id'], about)
  await tx.deleteFrom('one_time_links').where('user_id', 'in', ids).execute()
  // Invitations of the operator to open an account; those of other accounts are theirs.
  await tx
    .deleteFrom('one_time_links')
    .where('account_id', 'is', null)
    .where(
      'email',
      'in',
      people.map(({ email }) => email),
    )
    .execute()
}

/** What the instance's own audit log says of people: who did what stays, with what goes. */
async function eraseMentions(tx: Tx, people: readonly Person[]): Promise<void> {
  for (const person of people) {
    const rows = await tx
      .selectFrom('audit_log')
      .select(['id', 'actor', 'detail'])
      .where('account_id', 'is', null)
      .where(({ eb, or }) =>
        or([
          eb('actor', '=', person.email),
          eb('detail', 'like', `%${person.id}%`),
          eb('detail', 'like', `%${person.email}%`),
        ]),
      )
      .execute()
    const blank = rows
      // In a pattern `_` means any character.
      .filter(({ actor, detail }) => names(`${actor} ${detail}`, [person]))
      .map(({ id, actor }) => ({ id, actor: actor === person.email ? person.id : actor, detail: '{}' }))
    await updateRows(tx, 'audit_log', ['id'], blank)
  }
}

const names = (text: string, people: readonly Person[]): boolean =>
  people.some(({ id, email }) => text.includes(id) || text.includes(email))
