import { sql } from 'kysely'
import { StorageError, type Tx } from '../seam/dialect.ts'
import type { Database } from '../tables/schema.ts'
import type { Writer } from '../seam/writer.ts'

type Table = keyof Database

/** The role of reads that are made for one account. It sees that account's rows, whatever a query forgot to say (P10). */
export const accountReader = 'onesixty_account_reader'

/** The setting of a session that says for whom it reads. */
export const accountSetting = 'onesixty.account'

const theAccount = `current_setting('${accountSetting}', true)`
const own = `account_id = ${theAccount}`
const ownOrShared = `(account_id is null or ${own})`
/** The policies of devices apply within: what is seen of a device is seen of what hangs on it. */
const ofSeenDevice = 'exists (select 1 from devices d where d.id = device_id)'

/**
 * Which rows of each table are an account's. A table that is not named is not read for an account at all: one that is new stays closed until
 * somebody decides.
 */
export const accountRows: Readonly<Partial<Record<Table, string>>> = {
  accounts: `id = ${theAccount}`,
  account_users: own,
  users: `exists (select 1 from account_users a where a.user_id = id and a.account_id = ${theAccount})`,
  api_keys: own,
  api_key_usage: 'exists (select 1 from api_keys k where k.id = key_id)',
  wallets: own,
  usage_days: own,
  ledger_entries: own,
  audit_log: own,
  one_time_links: own,
  devices: ownOrShared,
  device_reports: ofSeenDevice,
  device_states: ofSeenDevice,
  device_samples: ofSeenDevice,
  unread_forms: ofSeenDevice,
  phones: ofSeenDevice,
  phone_tokens: ownOrShared,
  phone_offers: own,
  sends: own,
  messages: own,
  attempts: own,
  queue: own,
  queue_totals: own,
  deferred: own,
  deferred_totals: own,
  receipts_expected: own,
  idempotency_keys: own,
  opt_outs: own,
  account_keyword_sets: own,
  account_keywords: own,
  traffic: own,
  traffic_times: own,
  webhook_endpoints: own,
  webhook_endpoint_types: own,
  webhook_events: own,
  webhook_deliveries: own,
  webhook_attempts: own,
  // Of the instance: nobody's secret.
  instance: 'true',
  server_runs: 'true',
}

/**
 * Makes the role that reads for accounts, unless it is there. Refuses, with what to do, where this program may neither make it nor take it on:
 * nothing else has been changed by then.
 */
export async function ensureReader(writer: Pick<Writer, 'write'>): Promise<void> {
  try {
    await writer.write(makeReader)
  } catch (error) {
    if (error instanceof StorageError && error.fault !== 'other') throw error
    throw new Error(
      `The role ${accountReader}, which reads for an account take on, is not there or not granted to this program's role, which may not change that: run deploy/postgres-role.sh, or as an administrator \`create role ${accountReader} nologin\` and \`grant ${accountReader} to\` the role of DATABASE_URL.`,
      { cause: error },
    )
  }
}

/**
 * Brings the policies to what `accountRows` says, where they are not: after a migration, or when an earlier start could not. The owner of the
 * tables, who writes, is exempt from them.
 */
export async function secureRows(writer: Pick<Writer, 'write'>): Promise<void> {
  await writer.write(async (tx) => {
    const open = await openTables(tx)
    if (open.length === 0) return
    const statements = open.flatMap((table) => {
      const rows = accountRows[table] ?? 'false'
      return [
        `grant select on ${table} to ${accountReader}`,
        `alter table ${table} enable row level security`,
        `drop policy if exists account_rows on ${table}`,
        `create policy account_rows on ${table} for select to ${accountReader} using (${rows})`,
        // PostgreSQL gives an expression back in words of its own: by this it is known which one it was made from.
        `comment on policy account_rows on ${table} is '${rows.replaceAll("'", "''")}'`,
      ]
    })
    for (const statement of [`grant usage on schema public to ${accountReader}`, ...statements])
      await sql.raw(statement).execute(tx)
  })
}

/** Tables on which something of it is missing, or is another version's. */
async function openTables(tx: Tx): Promise<Table[]> {
  const { rows } = await sql<{ name: string; made_from: string }>`
    select c.relname as name, obj_description(p.oid, 'pg_policy') as made_from
    from pg_class c join pg_policy p on p.polrelid = c.oid and p.polname = 'account_rows'
    where c.relnamespace = 'public'::regnamespace and c.relrowsecurity and p.polcmd = 'r'
      and has_schema_privilege(${accountReader}, 'public', 'usage') and has_table_privilege(${accountReader}, c.oid, 'select')
      and p.polroles = array[(select oid from pg_roles where rolname = ${accountReader})]`.execute(tx)
  const madeFrom = new Map(rows.map((row) => [row.name, row.made_from]))
  const tables = Object.entries(accountRows) as [Table, string][]
  return tables.filter(([table, wanted]) => madeFrom.get(table) !== wanted).map(([table]) => table)
}

async function makeReader(tx: Tx): Promise<void> {
  // To be a member is not enough since 16, which has a right of its own for taking a role on.
  const { rows } = await sql<{ is_taken_on: number }>`
    select case when current_setting('server_version_num')::int < 160000 then pg_has_role(oid, 'member')
      else pg_has_role(oid, 'set') end as is_taken_on from pg_roles where rolname = ${accountReader}`.execute(
    tx,
  )
  const [found] = rows
  if (found === undefined) await sql.raw(`create role ${accountReader} nologin`).execute(tx)
  if (found?.is_taken_on !== 1) await sql.raw(`grant ${accountReader} to current_user`).execute(tx)
}
