import { expect, onTestFinished, test } from 'vitest'
import { migrate, readMigrations } from '../../src/storage/seam/migrate.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { Writer } from '../../src/storage/seam/writer.ts'
import { openPostgres } from '../../src/storage/postgres/postgres-database.ts'
import { eventually } from '../eventually.ts'
import { storedMessage } from '../history/stored-messages.ts'
import { openDatabase } from '../open-database.ts'
import { databaseSettings, makeTestFolder, removeTestFolder } from '../test-database.ts'
import { openSession } from './served-storage.ts'

const message = storedMessage({
  id: 'msg_a',
  created_at: 1,
  status: 'delivered',
  // The longest message that there is, after more changes and attempts than two bytes can count.
  units: 255 * 153,
  parts: 255,
  parts_sent: 255,
  held: 255,
  charged: 255,
  cost_state: 'charged',
  receipt_expected: 1,
  attempts: 70_000,
  sequence: 140_000,
  finalized_at: 2,
  settled_at: 2,
})
const attempt = {
  account_id: message.account_id,
  mode: message.mode,
  message_id: message.id,
  number: 70_000,
  id: 'att_a',
  device_id: 'dev_a',
  fence: 3_000_000_000,
  state: 'accepted',
  parts_sent: 255,
  receipt_expected: 1,
  is_own: 1,
  started_at: 1_795_000_000_000,
  ended_at: 1_795_000_000_001,
} as const

test('narrower columns keep every number of messages and attempts that an earlier version stored', async () => {
  const dataFolder = await makeTestFolder('onesixty-narrow-', { isEmpty: true })
  onTestFinished(() => removeTestFolder(dataFolder))
  const { db, close } = openDatabase(dataFolder)
  onTestFinished(close)
  const migrations = await readMigrations('postgres')
  const writer = new Writer(db)
  await migrate(
    writer,
    migrations.filter(({ name }) => name < '0045'),
    1,
  )
  await writer.write(async (tx) => {
    await insertRows(tx, 'messages', [message])
    await insertRows(tx, 'attempts', [attempt])
  })
  const rows = async () => [
    await db.selectFrom('messages').selectAll().execute(),
    await db.selectFrom('attempts').selectAll().execute(),
  ]
  const before = await rows()
  expect(before).toMatchObject([[message], [attempt]])
  expect(await migrate(writer, migrations, 2)).toContain('0045_narrow_columns.sql')
  expect(await rows()).toEqual(before)
})

test('an upgrade takes as long as it needs, whatever the limit of statements is', async () => {
  const dataFolder = await makeTestFolder('onesixty-long-upgrade-', { isEmpty: true })
  onTestFinished(() => removeTestFolder(dataFolder))
  const { db, close } = openDatabase(dataFolder)
  onTestFinished(close)
  const earlier = (await readMigrations('postgres')).filter(({ name }) => name < '0045')
  await migrate(new Writer(db), earlier, 1)
  const url = databaseSettings(dataFolder)['DATABASE_URL'] ?? ''
  const [reader, watcher] = [await openSession(url), await openSession(url)]
  await reader.query('begin; select 1 from messages')
  const limitMs = 1_000
  const opening = openPostgres(
    { url, applicationName: 'upgrade', readers: 1, connectTimeoutMs: 5_000, statementTimeoutMs: limitMs },
    2,
  )
  const waited = async (): Promise<number> => {
    const { rows } = await watcher.query<{ ms: number }>(
      `select extract(epoch from clock_timestamp() - query_start)::float8 * 1000 as ms
       from pg_stat_activity where query like 'alter table messages%' and wait_event_type = 'Lock'`,
    )
    return rows[0]?.ms ?? 0
  }
  await eventually(waited, (ms) => expect(ms).toBeGreaterThan(1.2 * limitMs), 20_000)
  await reader.query('commit')
  const storage = await opening
  await storage.close()
  expect(storage.migrated).toContain('0045_narrow_columns.sql')
})
