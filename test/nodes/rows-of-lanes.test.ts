import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { accountsOf, units } from '../../src/messages/units.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { RecentTimes } from '../../src/runtime/recent-times.ts'
import { laneLocks } from '../../src/storage/postgres/lane-locks.ts'
import { createPostgresPool, endPool } from '../../src/storage/postgres/postgres-client.ts'
import { postgresDialect } from '../../src/storage/postgres/postgres-dialect.ts'
import { openCrossing } from '../../src/storage/seam/crossing.ts'
import { laneOf, type NextLanes } from '../../src/storage/seam/lanes.ts'
import { learnTables } from '../../src/storage/seam/sets.ts'
import type { Storage } from '../../src/storage/seam/storage.ts'
import { Writer } from '../../src/storage/seam/writer.ts'
import { temporaryFolder } from '../harness.ts'
import { openFolder } from '../open-folder.ts'
import { startInstance } from '../open-test-storage.ts'
import { sendRequest } from '../send-request.ts'
import { databaseSettings, removeTestFolder } from '../test-database.ts'

/** Each account's lane in SQL: 32 bits of FNV-1a, written apart from the program's. */
const laneInSql = `create function lane_of(id text) returns int language plpgsql immutable as $$
  declare hash bigint := 2166136261;
  begin
    for i in 1..length(id) loop hash := ((hash # ascii(substr(id, i, 1))) * 16777619) & 4294967295; end loop;
    return hash % 1024;
  end $$`
const held = `(lane = any (string_to_array(current_setting('onesixty.lanes'), ',')::int[]))`
const ofHeldAccount = held.replace('lane', 'lane_of(account_id)')
/** Of tables without an account: what a unit with lanes may see, and what it may write. */
const others: Readonly<Record<string, [seen: string, written: string]>> = {
  accounts: [held.replace('lane', 'lane_of(id)'), 'false'],
  change_lanes: [`(lane = -1 or ${held})`, held],
  node_progress: ['true', 'epoch = 1'],
  api_key_usage: [
    `(select ${ofHeldAccount} from api_keys k where k.id = key_id)`,
    `(select ${ofHeldAccount} from api_keys k where k.id = key_id)`,
  ],
  ...Object.fromEntries(
    ['instance', 'devices', 'nodes', 'device_groups', 'parked_receipts', 'ways'].map((table) => [
      table,
      ['true', 'false'],
    ]),
  ),
}

const ids = createIds({ now: Date.now })
const nowMs = Date.now()
let dataFolder: string
let storage: Storage
let admin: Client
let writer: Writer
let end: () => Promise<void>

beforeAll(async () => {
  dataFolder = await temporaryFolder()
  storage = await openFolder(dataFolder, nowMs)
  const url = databaseSettings(dataFolder)['DATABASE_URL'] as string
  admin = new Client({ connectionString: url })
  await admin.connect()
  await admin.query(laneInSql)
  const { rows } = await admin.query<{
    name: string
    has_account: boolean
  }>(`select t.tablename as name, exists (
      select 1 from information_schema.columns c where c.table_name = t.tablename and c.column_name = 'account_id') as has_account
    from pg_tables t where t.schemaname = 'public'`)
  await admin.query(`create role "${roleOf()}" nologin`)
  for (const { name, has_account } of rows) {
    const [seen, written] =
      others[name] ?? (has_account ? [ofHeldAccount, ofHeldAccount] : ['false', 'false'])
    await admin.query(`grant all on ${name} to "${roleOf()}"; alter table ${name} enable row level security;
      create policy rows_of_lanes on ${name} to "${roleOf()}" using (true) with check (${written});
      create policy seen_of_lanes on ${name} as restrictive for select to "${roleOf()}" using (${seen});
      create policy changed_of_lanes on ${name} as restrictive for update to "${roleOf()}" using (${written});
      create policy removed_of_lanes on ${name} as restrictive for delete to "${roleOf()}" using (${written})`)
  }
  await storage.writer.write((tx) => startInstance(tx, nowMs))
  const settings = {
    url,
    applicationName: 'lanes',
    readers: 1,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 20_000,
  }
  const pool = createPostgresPool(settings, 1)
  const next: NextLanes = { lanes: null }
  const locks = (lanes: readonly number[] | null): string =>
    lanes === null
      ? laneLocks(null)
      : `${laneLocks(lanes)}; set local role "${roleOf()}"; set local onesixty.lanes = '${lanes.join()}'`
  writer = new Writer(openCrossing(postgresDialect(pool, { locks, next, flushTimes: new RecentTimes() })), {
    next,
  })
  await writer.write(learnTables)
  end = () => endPool(pool)
})
afterAll(async () => {
  await end()
  await admin.query(`drop owned by "${roleOf()}"; drop role "${roleOf()}"`)
  await admin.end()
  await storage.close()
  await removeTestFolder(dataFolder)
})

const roleOf = (): string => `lanes of ${dataFolder.slice(-8)}`

async function openAccount(): Promise<string> {
  const id = ids('acc')
  await storage.writer.write(async (tx) => {
    const row = { id, name: 'A', state: 'active', created_at: nowMs, updated_at: nowMs } as const
    await tx.insertInto('accounts').values(row).execute()
    await openWallets(
      tx,
      { ids, nowMs },
      { accountId: id, freeSms: 100, playSms: 0, lowThreshold: 0, actor: 'test' },
    )
    const key = { id: `key_${id}`, account_id: id, mode: 'live', hash: id.padEnd(64, '0'), last_four: '0000', name: 'k', scopes: 'send', created_at: 1 } as const // prettier-ignore
    await tx.insertInto('api_keys').values(key).execute()
  })
  return id
}

/** Runs a hot unit with the lanes of its accounts, as the role. */
const run = <N extends keyof typeof units>(
  name: N,
  input: Parameters<(typeof units)[N]>[1],
): ReturnType<(typeof units)[N]> =>
  writer.writeFor(
    () => accountsOf[name]?.(input as never) ?? null,
    (tx) => units[name](tx, input as never) as Promise<unknown>,
  ) as ReturnType<(typeof units)[N]>

test('the hot units read and write no row that their lanes do not cover', async () => {
  const accounts = [await openAccount(), await openAccount()]
  const way = { id: `way_${nowMs}`, text: '{"stages":[{"use":["own"]}]}' }
  const sends = (key: string | null) =>
    accounts.map((accountId) =>
      sendRequest(
        { ids, nowMs },
        {
          accountId,
          keyId: `key_${accountId}`,
          dailyCap: 50,
          ways: [way],
          idempotency: key === null ? null : { key, fingerprint: 'f' },
        },
      ),
    )
  // The first one stores the way.
  expect((await run('sendMessages', sends(null))).map(({ kind }) => kind)).toEqual(['accepted', 'accepted'])
  const before = writer.widened
  expect(before).toBe(1)
  expect((await run('sendMessages', sends('k'))).map(({ kind }) => kind)).toEqual(['accepted', 'accepted'])
  expect((await run('sendMessages', sends('k'))).map(({ kind }) => kind)).toEqual(['replayed', 'replayed'])
  const requests = accounts.map((accountId) => ({
    accountId, mode: 'live', routeKey: routeKeyOf({ mode: 'live', sender: null }), deviceId: 'dev_s', quota: 2, partsOver: 0, partsUpTo: 10,
  })) as Parameters<typeof units.claim>[1]['requests'] // prettier-ignore
  const { claimed, progress } = await run('claim', {
    requests,
    nowMs: Date.now(),
    dueMs: Date.now(),
    fence: 1,
    known: 0,
  })
  expect([claimed.length, progress]).toEqual([4, 1])
  const told = claimed.map((each, i) =>
    judgeOutcome(
      each,
      i === 0
        ? { kind: 'refused', lasts: 'now', code: 'device_offline', networkCode: null }
        : { kind: 'accepted', networkIds: [`n-${i}`], receiptExpected: true },
      Date.now(),
    ),
  )
  const statuses = await run('settleOutcomes', told)
  expect(statuses.slice(1)).toEqual(['sent', 'sent', 'sent'])
  expect(writer.widened, 'none of them needed more than its lanes').toBe(before)
})

test('the role sees and writes nothing of an account whose lane is not held', async () => {
  const [mine, theirs] = [await openAccount(), await openAccount()] as const
  expect(laneOf(mine)).not.toBe(laneOf(theirs))
  const asRole = (statement: string) =>
    admin.query(
      `begin; set local role "${roleOf()}"; set local onesixty.lanes = '${laneOf(mine)}'; ${statement}`,
    )
  const wallets = (await asRole('select distinct account_id from wallets')) as unknown as {
    rows: unknown[]
  }[]
  expect(wallets.at(-1)?.rows).toEqual([{ account_id: mine }])
  await admin.query('rollback')
  for (const statement of [
    `insert into traffic (account_id, mode, grain, bucket) values ('${theirs}', 'live', 'hours6', 0)`,
    'insert into change_lanes (lane, last_change) values (-1, 1)',
  ]) {
    await expect(asRole(statement)).rejects.toThrow('row-level security')
    await admin.query('rollback')
  }
})
