import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openWallets } from '../../src/ledger/grants.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { readOrphans } from '../../src/messages/outcomes/open-claims.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
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
import { readShown } from './shown-messages.ts'

const clock = createStubClock()
const ids = createIds({ now: clock.now })
const [place, startMs] = [{ route_key: 'live:Shop', due_at: clock.now() - 500 }, clock.now()]

/** Two messages by the version before: the first was in flight when its server was killed, for the second time; the other waits. */
async function upgrade() {
  const dataFolder = await makeTestFolder('onesixty-upgrade-', { isEmpty: true })
  onTestFinished(() => removeTestFolder(dataFolder))
  const migrations = await readMigrations(isPostgres ? 'postgres' : 'sqlite')
  const { db, close } = openDatabase(dataFolder)
  const writer = new Writer(db)
  await migrate(
    writer,
    migrations.filter(({ name }) => name < '0037'),
    startMs,
  )
  const [inFlight, waiting] = [ids('msg'), ids('msg')]
  const key = { account_id: 'acc_ada', mode: 'live', message_id: inFlight } as const
  await writer.write(async (tx) => {
    await startInstance(tx, startMs)
    const times = { created_at: startMs, updated_at: startMs, expires_at: startMs + 60_000 }
    await insertRows(tx, 'accounts', [{ id: 'acc_ada', name: 'Ada', state: 'active', created_at: startMs, updated_at: startMs }]) // prettier-ignore
    await openWallets(tx, { ids, nowMs: startMs }, { accountId: 'acc_ada', freeSms: 9, playSms: 0, lowThreshold: 0, actor: 'test' }) // prettier-ignore
    const queued = { status: 'queued', finalized_at: null, settled_at: null, sent_at: null, parts_sent: 0, charged: 0, cost_state: 'held', receipt_expected: null, device_id: null } as const // prettier-ignore
    await insertRows(tx, 'messages', [
      storedBeforeWays({ ...times, ...queued, id: inFlight, status: 'sending', device_id: 'dev_s', attempts: 2, sequence: 4 }), // prettier-ignore
      storedBeforeWays({ ...times, ...queued, id: waiting, attempts: 0, sequence: 1 }),
    ])
    const attempt = { device_id: 'dev_s', fence: 1, started_at: startMs } as const
    await sql`insert into attempts (account_id, mode, message_id, number, id, device_id, fence, state, outcome, started_at, ended_at) values
      ('acc_ada', 'live', ${inFlight}, 1, 'att_1', ${attempt.device_id}, 1, 'refused', 'busy', ${startMs}, ${startMs}),
      ('acc_ada', 'live', ${inFlight}, 2, 'att_2', ${attempt.device_id}, 1, 'handing_over', null, ${startMs}, null)`.execute(
      tx,
    )
    for (const [id, claimedBy] of [
      [inFlight, 'dev_s'],
      [waiting, null],
    ] as const)
      // prettier-ignore
      await sql`insert into queue (route_key, account_id, priority, due_at, message_id, mode, parts, expires_at, refusals, claimed_by)
        values (${place.route_key}, 'acc_ada', 1, ${place.due_at}, ${id}, 'live', 1, ${times.expires_at}, 3, ${claimedBy})`.execute(
        tx,
      )
  })
  await close()
  const storage = await openFolder(dataFolder, startMs)
  onTestFinished(() => storage.close())
  return { storage, inFlight, waiting, key }
}

test('what was in flight before an upgrade is shown as before, and waits in no queue', async () => {
  const { storage, inFlight, waiting } = await upgrade()
  const shown = await readShown(storage.read)
  expect(
    shown.map(({ id, status, attempts, sequence, device_id }) => ({
      id,
      status,
      attempts,
      sequence,
      device_id,
    })),
  ).toEqual([
    { id: inFlight, status: 'sending', attempts: 2, sequence: 4, device_id: 'dev_s' },
    { id: waiting, status: 'queued', attempts: 0, sequence: 1, device_id: null },
  ])
  const rows = await storage.read.selectFrom('queue').select('message_id').execute()
  expect(rows).toEqual([{ message_id: waiting }])
})

test('it goes back to its place when its attempt ends as not sent', async () => {
  const { storage, inFlight } = await upgrade()
  const [claim] = await storage.writer.write((tx) => readOrphans(tx, { fence: 7, most: 9 }))
  expect(claim).toMatchObject({
    attemptId: 'att_2',
    attemptNumber: 2,
    position: { ...place, priority: 1, refusals: 3 },
  })
  const settlement = judgeOutcome(claim!, { kind: 'unavailable', detail: 'gone' }, clock.now())
  await storage.writer.write((tx) => settleOutcomes(tx, [settlement], takeChange(tx, clock.now())))
  expect(await readShown(storage.read)).toMatchObject([{ id: inFlight, status: 'queued', attempts: 2 }, {}])
  const row = await storage.read
    .selectFrom('queue')
    .select(['route_key', 'refusals'])
    .where('message_id', '=', inFlight)
    .executeTakeFirst()
  expect(row).toEqual({ route_key: place.route_key, refusals: 3 })
})
