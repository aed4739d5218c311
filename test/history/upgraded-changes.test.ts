import { expect, onTestFinished, test } from 'vitest'
import { everyMessage } from '../../src/messages/history/history-query.ts'
import { readHistory } from '../../src/messages/history/history.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import { units } from '../../src/messages/units.ts'
import { migrate, readMigrations } from '../../src/storage/seam/migrate.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { Writer } from '../../src/storage/seam/writer.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { openDatabase } from '../open-database.ts'
import { openFolder } from '../open-folder.ts'
import { startInstance } from '../open-test-storage.ts'
import { sendRequest } from '../send-request.ts'
import { createStubClock } from '../stub-clock.ts'
import { isPostgres, makeTestFolder, removeTestFolder } from '../test-database.ts'
import { ada, idsOf, storedMessage, walkHistory } from './stored-messages.ts'

const clock = createStubClock()
const ids = createIds({ now: clock.now })

function withoutLaterColumns(row: MessageRow): MessageRow {
  const old: Partial<MessageRow> = { ...row }
  delete old.key_id
  delete old.way
  return old as MessageRow
}

/** A database as the version before numbered changes left it: 230 messages of one millisecond, and some of others before and behind. */
async function openOldDatabase() {
  const dataFolder = await makeTestFolder('onesixty-upgrade-', { isEmpty: true })
  onTestFinished(() => removeTestFolder(dataFolder))
  const migrations = await readMigrations(isPostgres ? 'postgres' : 'sqlite')
  const startMs = clock.now()
  const at = (ms: number, sequence: number, more: object = {}) =>
    storedMessage({ id: ids('msg'), created_at: startMs, updated_at: startMs + ms, sequence, ...more })
  const rows = [
    at(7, 3),
    ...Array.from({ length: 230 }, (_, i) => at(5, 1 + (i % 3))),
    at(2, 12),
    at(5, 1, { account_id: 'acc_bob' }),
    at(5, 2, { mode: 'test' }),
  ]
  const { db, close } = openDatabase(dataFolder)
  const writer = new Writer(db)
  await migrate(
    writer,
    migrations.filter(({ name }) => name < '0032'),
    startMs,
  )
  await writer.write(async (tx) => {
    await startInstance(tx, startMs)
    await insertRows(tx, 'messages', rows.map(withoutLaterColumns))
  })
  await close()
  const storage = await openFolder(dataFolder, startMs)
  onTestFinished(() => storage.close())
  return { storage, startMs, rows }
}

test('what changed before an upgrade is shown after it, each once, in the order of its time, and what changes then comes after', async () => {
  const { storage, startMs, rows } = await openOldDatabase()
  const inOrder = rows
    .filter(({ account_id, mode }) => account_id === ada.accountId && mode === ada.mode)
    .toSorted((one, other) => one.updated_at - other.updated_at || (one.id < other.id ? -1 : 1))
  for (const limit of [7, 100, 500]) {
    const walk = await walkHistory(storage, { query: { updatedAfterMs: startMs }, limit })
    expect(idsOf(walk.rows)).toEqual(idsOf(inOrder))
  }
  const since = await walkHistory(storage, { query: { updatedAfterMs: startMs + 6 } })
  expect(idsOf(since.rows)).toEqual(idsOf(inOrder.slice(-1)))
  // By a cursor of the version before, too.
  const position = { updatedAtMs: startMs + 5, id: inOrder[100]!.id }
  const query = { ...everyMessage, updatedAfterMs: startMs }
  const behind = await readHistory(storage.read, { owner: ada, query, position, limit: 500 })
  expect(idsOf(behind.rows)).toEqual(idsOf(inOrder.slice(1)))

  await storage.writer.write(async (tx) => {
    const times = { created_at: startMs, updated_at: startMs }
    await insertRows(tx, 'accounts', [{ id: ada.accountId, name: 'Ada', state: 'active', ...times }])
    const opening = { accountId: ada.accountId, freeSms: 9, playSms: 0, lowThreshold: 0, actor: 'test' }
    await openWallets(tx, { ids, nowMs: startMs }, opening)
  })
  // Its clock is behind the upgraded rows: it comes in the millisecond after their last.
  const request = sendRequest({ ids, nowMs: startMs }, { accountId: ada.accountId })
  const [sent] = await storage.writer.write((tx) => units.sendMessages(tx, [request]))
  expect(sent?.kind).toBe('accepted')
  const later = await readHistory(storage.read, { owner: ada, query, position: behind.readTo!, limit: 500 })
  expect(later.rows.map(({ updated_at }) => updated_at)).toEqual([startMs + 8])
})
