import { refuse } from '../errors.ts'
import type { Db } from '../storage/dialect.ts'
import type { AccountState } from '../storage/schema.ts'

export interface ListedAccount {
  id: string
  name: string
  state: AccountState
  /** Of its owners, oldest first. */
  emails: string[]
  sendPerMinute: number | null
  readPerMinute: number | null
  queueLimit: number | null
  createdAt: number
}

/** Accounts in the order of their creation, after `afterId`, at most `limit`; the id to go on after, or null at the end. */
export async function listAccounts(
  db: Db,
  page: { afterId: string | null; limit: number },
): Promise<{ accounts: ListedAccount[]; nextAfterId: string | null }> {
  const found = await db
    .selectFrom('accounts')
    .selectAll()
    .where('id', '>', page.afterId ?? '')
    .orderBy('id')
    .limit(page.limit + 1)
    .execute()
  const rows = found.slice(0, page.limit)
  const owners = await readOwners(
    db,
    rows.map((row) => row.id),
  )
  const accounts = rows.map((row) => ({
    id: row.id,
    name: row.name,
    state: row.state,
    emails: owners.get(row.id) ?? [],
    sendPerMinute: row.send_per_minute,
    readPerMinute: row.read_per_minute,
    queueLimit: row.queue_limit,
    createdAt: row.created_at,
  }))
  return { accounts, nextAfterId: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null }
}

async function readOwners(db: Db, accountIds: readonly string[]): Promise<Map<string, string[]>> {
  if (accountIds.length === 0) return new Map()
  const owners = await db
    .selectFrom('account_users')
    .innerJoin('users', 'users.id', 'account_users.user_id')
    .select(['account_users.account_id', 'users.email'])
    .where('account_users.account_id', 'in', accountIds)
    .where('account_users.role', '=', 'owner')
    .orderBy('users.id')
    .execute()
  const emails = new Map<string, string[]>()
  for (const { account_id, email } of owners)
    emails.set(account_id, [...(emails.get(account_id) ?? []), email])
  return emails
}

/** Refuses the id of an account that does not exist: what belongs to it would be an empty list. */
export async function requireAccount(db: Db, accountId: string): Promise<void> {
  const known = await db.selectFrom('accounts').select('id').where('id', '=', accountId).executeTakeFirst()
  if (known === undefined) throw refuse('not_found', { detail: `There is no account ${accountId}.` })
}
