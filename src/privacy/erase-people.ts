import type { Tx } from '../storage/seam/dialect.ts'
import { deleteRows, updateRows } from '../storage/seam/sets.ts'

/** Small pages, so that sends never wait long for one. */
const pageSize = 100
const erasedPerson = 'Erased person'

/**
 * Removes a page of users from an account that is being erased. Users without another account are erased:
 * sign-in, sessions, links, name and address; their ID stays, because ledger and audit log contain it.
 * Operators of the instance stay unchanged. A page and its memberships are deleted together, so that an
 * interrupted run can continue. Returns the number of removed users; 0 at the end.
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
  const otherMemberships = await tx
    .selectFrom('account_users')
    .select('user_id')
    .where('account_id', '!=', accountId)
    .where(
      'user_id',
      'in',
      members.map(({ id }) => id),
    )
    .execute()
  const stays = new Set(otherMemberships.map((row) => row.user_id))
  const gone = members.filter(({ id, is_operator }) => is_operator === 0 && !stays.has(id))
  await eraseSignIns(tx, gone)
  await eraseMentions(tx, gone)
  await updateRows(
    tx,
    'users',
    ['id'],
    // An address that cannot exist (RFC 2606, section 2), and is unique as required.
    gone.map(({ id }) => ({ id, name: erasedPerson, email: `${id}@erased.invalid` })),
  )
  const memberships = members.map(({ id }) => ({ account_id: accountId, user_id: id }))
  return deleteRows(tx, 'account_users', ['account_id', 'user_id'], memberships)
}

/** Deletes invitations to the account, which contain addresses. Returns the number; 0 when there are none. */
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

/**
 * Deletes sign-ins: sessions, passwords and second factors belong to the auth user; notes of the sign-in
 * contain its ID.
 */
async function eraseSignIns(tx: Tx, people: readonly Person[]): Promise<void> {
  if (people.length === 0) return
  const ids = people.map(({ id }) => id)
  await tx.deleteFrom('auth_users').where('id', 'in', ids).execute()
  await tx.deleteFrom('alert_mutes').where('user_id', 'in', ids).execute()
  await tx.deleteFrom('alert_mails').where('user_id', 'in', ids).execute()
  const noted = await tx.selectFrom('auth_verifications').select(['id', 'identifier', 'value']).execute()
  const about = noted.filter(({ identifier, value }) =>
    ids.some((id) => `${identifier} ${value}`.includes(id)),
  )
  await deleteRows(tx, 'auth_verifications', ['id'], about)
  await tx.deleteFrom('one_time_links').where('user_id', 'in', ids).execute()
  await tx.deleteFrom('email_links').where('user_id', 'in', ids).execute()
}

/**
 * Erases users from the instance's own records, under their present and former addresses. Invitations by the
 * operator to create an account are deleted (those of other accounts belong to them); the audit log keeps who
 * did what and when.
 */
async function eraseMentions(tx: Tx, people: readonly Person[]): Promise<void> {
  for (const { id, email } of people) {
    const own = await auditOf(tx, id, ({ detail }) => userOf(detail).userId === id)
    const addresses = new Set([email, ...own.flatMap(({ detail }) => userOf(detail).email ?? [])])
    const all = new Map(own.map((row) => [row.id, row]))
    for (const address of addresses) {
      await tx
        .deleteFrom('one_time_links')
        .where('account_id', 'is', null)
        .where('email', '=', address)
        .execute()
      const rows = await auditOf(
        tx,
        address,
        ({ actor, detail }) => actor === address || detail.includes(`"${address}"`),
      )
      for (const row of rows) all.set(row.id, row)
    }
    const blank = [...all.values()].map((row) => ({
      id: row.id,
      actor: addresses.has(row.actor) ? id : row.actor,
      detail: '{}',
    }))
    await updateRows(tx, 'audit_log', ['id'], blank)
  }
}

interface Entry {
  id: string
  actor: string
  detail: string
}

/**
 * Returns entries of the instance's own audit log that really contain a name: in a pattern, `_` matches any
 * character, and one address can be the end of another.
 */
async function auditOf(tx: Tx, name: string, isMeant: (row: Entry) => boolean): Promise<Entry[]> {
  const rows = await tx
    .selectFrom('audit_log')
    .select(['id', 'actor', 'detail'])
    .where('account_id', 'is', null)
    .where(({ eb, or }) => or([eb('actor', '=', name), eb('detail', 'like', `%${name}%`)]))
    .execute()
  return rows.filter(isMeant)
}

const userOf = (detail: string): { userId?: string; email?: string } =>
  JSON.parse(detail) as { userId?: string; email?: string }
