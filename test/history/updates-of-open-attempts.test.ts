import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyMessage, type HistoryPosition } from '../../src/messages/history/history-query.ts'
import { readHistory } from '../../src/messages/history/history.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { ada, store, storedMessage } from './stored-messages.ts'

/** More than a search reads at most. */
const open = 2_600

let base: TestStorage
beforeAll(async () => {
  base = await openTestStorage()
  const { ids, clock, storage } = base
  // What changed first has the last id, and stands last in the index.
  const rows = Array.from({ length: open }, (_, i) => {
    const atMs = clock.now() - i
    return storedMessage({ id: ids('msg'), created_at: 1, updated_at: atMs, status: 'sending', attempts: 1 })
  })
  const attempts = rows.map(({ account_id, mode, id, updated_at: started_at }) => {
    const message = { account_id, mode, message_id: id, number: 1, started_at }
    return { ...message, id: ids('att'), device_id: 'dev_1', fence: 1, state: 'handing_over' as const }
  })
  await store(storage, rows)
  await storage.writer.write((tx) => insertRows(tx, 'attempts', attempts))
  // As a server is soon after: new tables of a PostgreSQL are planned as if they held nothing.
  await storage.writer.write((tx) => sql`analyze`.execute(tx))
})
afterAll(() => base.close())

test.each([
  ['a page', {}],
  ['a search', { category: 'transactional' }],
] as const)('%s by change leaves out nothing that devices hold, however much that is', async (_, filter) => {
  const query = { ...everyMessage, ...filter, updatedAfterMs: 1 }
  const deps = { read: base.storage.read, safeHorizonMs: () => base.clock.now() + 1 }
  const told: string[] = []
  let position: HistoryPosition | null = null
  do {
    const page = await readHistory(deps, { owner: ada, query, position, limit: 500 })
    told.push(...page.rows.map(({ id }) => id))
    position = page.next
  } while (position !== null)
  const all = await base.storage.read.selectFrom('messages').select('id').orderBy('updated_at').execute()
  expect(told).toEqual(all.map(({ id }) => id))
})
