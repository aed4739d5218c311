import { expect, onTestFinished, test } from 'vitest'
import { migrate, readMigrations } from '../../src/storage/seam/migrate.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { Writer } from '../../src/storage/seam/writer.ts'
import { storedMessage } from '../history/stored-messages.ts'
import { openDatabase } from '../open-database.ts'
import { makeTestFolder, removeTestFolder } from '../test-database.ts'

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
