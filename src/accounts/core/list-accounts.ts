import { type Selectable, sql } from 'kysely'
import { refuse } from '../../runtime/errors.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { AccountState, OwnDevicePrice } from '../../storage/tables/schema.ts'
import type { AccountTable } from '../../storage/tables/account-tables.ts'
import { readCountries } from './account-guard.ts'
import type { QuietHours } from './quiet-hours.ts'

export interface ListedAccount {
  id: string
  name: string
  state: AccountState
  /** E-mail addresses of its owners, oldest first. */
  emails: string[]
  sendPerMinute: number | null
  readPerMinute: number | null
  queueLimit: number | null
  numberPerHour: number | null
  prefixPerHour: number | null
  pumpingNumbers: number | null
  /** ISO 3166 alpha-2; null = all. */
  countries: string[] | null
  quietHours: QuietHours | null
  /** What messages over its own devices cost. */
  ownDevices: OwnDevicePrice
  /** A word by which rules of routes match; null: none. */
  plan: string | null
  createdAt: number
}

/**
 * Returns accounts in the order of their creation, after `afterId`, at most `limit`; and the ID for the next
 * page, or null at the end.
 */
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
  const accounts = await withOwners(db, rows)
  return { accounts, nextAfterId: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null }
}

/**
 * Returns accounts, newest first, whose ID, name or owner's e-mail address contains `words`, before
 * `beforeId`, at most `limit`. Reads all accounts if few match: it is the operator's search, over thousands
 * at most.
 */
export async function findAccounts(
  db: Db,
  page: { words: string; beforeId: string | null; limit: number },
): Promise<{ accounts: ListedAccount[]; nextBeforeId: string | null }> {
  const like = `%${page.words.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const fits = sql<boolean>`(lower(accounts.name) like ${like} escape '\\' or accounts.id like ${like} escape '\\' or exists (
    select 1 from account_users join users on users.id = account_users.user_id
    where account_users.account_id = accounts.id and lower(users.email) like ${like} escape '\\'))`
  let query = db
    .selectFrom('accounts')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
  if (page.beforeId !== null) query = query.where('id', '<', page.beforeId)
  if (page.words !== '') query = query.where(fits)
  const found = await query.execute()
  const rows = found.slice(0, page.limit)
  return {
    accounts: await withOwners(db, rows),
    nextBeforeId: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null,
  }
}

async function withOwners(db: Db, rows: readonly Selectable<AccountTable>[]): Promise<ListedAccount[]> {
  const owners = await readOwners(
    db,
    rows.map((row) => row.id),
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    state: row.state,
    emails: owners.get(row.id) ?? [],
    sendPerMinute: row.send_per_minute,
    readPerMinute: row.read_per_minute,
    queueLimit: row.queue_limit,
    numberPerHour: row.number_per_hour,
    prefixPerHour: row.prefix_per_hour,
    pumpingNumbers: row.pumping_numbers,
    countries: readCountries(row.countries),
    ownDevices: row.own_devices,
    plan: row.plan,
    quietHours:
      row.quiet_from === null || row.quiet_until === null
        ? null
        : { from: row.quiet_from, until: row.quiet_until },
    createdAt: row.created_at,
  }))
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

/** Rejects an unknown account ID. Otherwise what belongs to it would look like an empty list. */
export async function requireAccount(db: Db, accountId: string): Promise<void> {
  const known = await db.selectFrom('accounts').select('id').where('id', '=', accountId).executeTakeFirst()
  if (known === undefined) throw refuse('not_found', { detail: `Account ${accountId} not found.` })
}

/** Returns one account. Rejects an unknown ID. */
export async function readListedAccount(db: Db, accountId: string): Promise<ListedAccount> {
  const rows = await db.selectFrom('accounts').selectAll().where('id', '=', accountId).execute()
  const [account] = await withOwners(db, rows)
  if (account === undefined) throw refuse('not_found', { detail: `Account ${accountId} not found.` })
  return account
}
