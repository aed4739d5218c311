import { sql } from 'kysely'
import type { Tx } from './dialect.ts'
import type { Database } from './schema.ts'

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
 * Makes the role and its policies anew, after the tables have changed. Needs the right to make roles, or a role that somebody made before; the
 * owner of the tables, who writes, is exempt.
 */
export async function secureRows(tx: Tx): Promise<void> {
  await makeReader(tx)
  const statements = [
    `grant usage on schema public to ${accountReader}`,
    ...Object.entries(accountRows).flatMap(([table, rows]) => [
      `grant select on ${table} to ${accountReader}`,
      `alter table ${table} enable row level security`,
      `drop policy if exists account_rows on ${table}`,
      `create policy account_rows on ${table} for select to ${accountReader} using (${rows})`,
    ]),
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}

async function makeReader(tx: Tx): Promise<void> {
  const { rows } = await sql<{ is_there: number; is_member: number }>`
    select exists (select from pg_roles where rolname = ${accountReader}) as is_there,
      exists (select from pg_roles where rolname = ${accountReader} and pg_has_role(oid, 'member')) as is_member`.execute(
    tx,
  )
  const [found] = rows
  if (found?.is_there !== 1) await sql.raw(`create role ${accountReader} nologin`).execute(tx)
  if (found?.is_member !== 1) await sql.raw(`grant ${accountReader} to current_user`).execute(tx)
}
