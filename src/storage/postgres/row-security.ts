import { sql } from 'kysely'
import { StorageError, type Tx } from '../seam/dialect.ts'
import type { Database } from '../tables/schema.ts'
import type { Writer } from '../seam/writer.ts'

type Table = keyof Database

/**
 * The role of reads for one account. It sees only that account's rows, even if a query lacks the condition
 * (P10).
 */
export const accountReader = 'onesixty_account_reader'

/** The session setting with the account that it reads for. */
export const accountSetting = 'onesixty.account'

const theAccount = `current_setting('${accountSetting}', true)`
const own = `account_id = ${theAccount}`
const ownOrShared = `(account_id is null or ${own})`
/** The policies of devices apply inside: rows of a device are visible if the device is. */
const ofSeenDevice = 'exists (select 1 from devices d where d.id = device_id)'
const ofOwnDevice = `exists (select 1 from devices d where d.id = device_id and d.${own})`

/**
 * Conditions for the rows of an account, by table. A table that is not listed cannot be read for an account
 * at all: a new one stays closed until someone decides.
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
  canaries: own,
  canary_runs: 'exists (select 1 from canaries c where c.id = canary_id)',
  sim_plans: ofSeenDevice,
  sim_usage: ofSeenDevice,
  sim_numbers: ofOwnDevice,
  device_states: ofSeenDevice,
  device_samples: ofSeenDevice,
  unread_forms: ofSeenDevice,
  phones: ofSeenDevice,
  phone_tokens: ownOrShared,
  route_rules: own,
  phone_offers: own,
  sends: own,
  messages: own,
  message_changes: own,
  attempts: own,
  followers: own,
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
  // Read by the hash of a nonce that only its caller knows.
  reach_checks: 'true',
  // About the instance: no secrets.
  instance: 'true',
  change_lanes: 'true',
  server_runs: 'true',
}

/**
 * Creates the role that reads for accounts, unless it exists. Throws, with what to do, if this program is not
 * allowed to create it or to use it; nothing else has been changed by then.
 */
export async function ensureReader(writer: Pick<Writer, 'write'>): Promise<void> {
  try {
    await writer.write(makeReader)
  } catch (error) {
    if (error instanceof StorageError && error.fault !== 'other') throw error
    throw new Error(
      `The role ${accountReader}, which reads for accounts use, does not exist or is not granted to this program's role, which is not allowed to change that: run deploy/postgres-role.sh, or as an administrator \`create role ${accountReader} nologin\` and \`grant ${accountReader} to\` the role of DATABASE_URL.`,
      { cause: error },
    )
  }
}

/**
 * Updates the policies to `accountRows` where they differ: after a migration, or if an earlier start could
 * not. The owner of the tables, which writes, is exempt from them.
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
        // PostgreSQL returns an expression in its own wording; the comment records from which text it was
        // created.
        `comment on policy account_rows on ${table} is '${rows.replaceAll("'", "''")}'`,
      ]
    })
    for (const statement of [`grant usage on schema public to ${accountReader}`, ...statements])
      await sql.raw(statement).execute(tx)
  })
}

/** Returns tables whose policy is missing, or is from another version. */
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
  // Since version 16 membership is not enough: using a role is a separate privilege.
  const { rows } = await sql<{ is_taken_on: number }>`
    select case when current_setting('server_version_num')::int < 160000 then pg_has_role(oid, 'member')
      else pg_has_role(oid, 'set') end as is_taken_on from pg_roles where rolname = ${accountReader}`.execute(
    tx,
  )
  const [found] = rows
  if (found === undefined) await sql.raw(`create role ${accountReader} nologin`).execute(tx)
  if (found?.is_taken_on !== 1) await sql.raw(`grant ${accountReader} to current_user`).execute(tx)
}
