import { expect, onTestFinished, test } from 'vitest'
import { openWallets } from '../../src/ledger/grants.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { settleReceipts } from '../../src/messages/outcomes/settle-receipts.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { migrate, readMigrations } from '../../src/storage/seam/migrate.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { Writer } from '../../src/storage/seam/writer.ts'
import { storedBeforeWays } from '../history/stored-messages.ts'
import { openDatabase } from '../open-database.ts'
import { openFolder } from '../open-folder.ts'
import { startInstance } from '../open-test-storage.ts'
import { createStubClock } from '../stub-clock.ts'
import { isPostgres, makeTestFolder, removeTestFolder } from '../test-database.ts'

const clock = createStubClock()
const ids = createIds({ now: clock.now })

/** A message of three parts, of which the version before has heard of some: their rows went with their receipts. */
async function upgradeWith({ id, left }: { id: string; left: readonly string[] }) {
  const dataFolder = await makeTestFolder('onesixty-upgrade-', { isEmpty: true })
  onTestFinished(() => removeTestFolder(dataFolder))
  const migrations = await readMigrations(isPostgres ? 'postgres' : 'sqlite')
  const startMs = clock.now()
  const { db, close } = openDatabase(dataFolder)
  const writer = new Writer(db)
  const before = migrations.filter(({ name }) => name < '0036')
  await migrate(writer, before, startMs)
  const key = { account_id: 'acc_ada', mode: 'live', message_id: id } as const
  await writer.write(async (tx) => {
    await startInstance(tx, startMs)
    const times = { created_at: startMs, updated_at: startMs }
    await insertRows(tx, 'accounts', [{ id: 'acc_ada', name: 'Ada', state: 'active', ...times }])
    const opening = { accountId: 'acc_ada', freeSms: 9, playSms: 0, lowThreshold: 0, actor: 'test' }
    await openWallets(tx, { ids, nowMs: startMs }, opening)
    const sent = { status: 'sent', sent_at: startMs, finalized_at: null, settled_at: null, attempts: 1, device_id: 'dev_s' } as const // prettier-ignore
    await insertRows(tx, 'messages', [
      storedBeforeWays({
        id,
        ...times,
        ...sent,
        parts: 3,
        parts_sent: 3,
        held: 3,
        charged: 3,
        cost_state: 'charged',
        receipt_expected: 1,
      }),
    ])
    await insertRows(tx, 'attempts', [
      { ...key, number: 1, id: 'att_1', device_id: 'dev_s', fence: 1, state: 'accepted', parts_sent: 3, network_ids: '["n1","n2","n3"]', receipt_expected: 1, outcome: 'accepted', started_at: startMs, ended_at: startMs },
    ]) // prettier-ignore
    await insertRows(
      tx,
      'receipts_expected',
      left.map((network_id) => ({ ...key, network_id, device_id: 'dev_s', attempt_number: 1, wire_parts: 3, sent_at: startMs })), // prettier-ignore
    )
  })
  await close()
  const storage = await openFolder(dataFolder, startMs)
  onTestFinished(() => storage.close())
  return storage
}

test.for([
  ['some had arrived', ['n2', 'n3']],
  ['none had arrived', ['n1', 'n2', 'n3']],
] as const)(
  'a message of which %s before an upgrade is delivered when the rest arrives',
  async ([, left]) => {
    const storage = await upgradeWith({ id: ids('msg'), left })
    const arrive = (networkId: string) =>
      storage.writer.write((tx) =>
        settleReceipts(
          tx,
          [
            {
              deviceId: 'dev_s',
              networkId,
              result: 'delivered',
              code: null,
              networkCode: null,
              atMs: clock.now(),
            },
          ],
          takeChange(tx, clock.now()),
        ),
      )
    const status = async () => {
      const { status: now } = await storage.read
        .selectFrom('messages')
        .select('status')
        .executeTakeFirstOrThrow()
      return now
    }
    for (const networkId of left) {
      expect(await status()).toBe('sent')
      await arrive(networkId)
    }
    expect(await status()).toBe('delivered')
  },
)
