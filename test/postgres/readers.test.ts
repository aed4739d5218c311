import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFolder, openTestStorage, type TestStorage } from '../open-test-storage.ts'

let fixture: TestStorage
beforeEach(async () => {
  fixture = await openTestStorage()
})
afterEach(() => fixture.close())

test('what reads for all cannot write, whatever it is asked to', async () => {
  const { read } = fixture.storage
  for (const write of [
    read.updateTable('wallets').set({ granted: 1_000 }),
    read.deleteFrom('messages'),
    sql`create table more (id integer)`.compile(read),
  ])
    await expect(read.executeQuery(write)).rejects.toThrow('in a read-only transaction')
})

test('a store of which somebody has ended a reader closes all the same', async () => {
  const storage = await openFolder(fixture.dataFolder, 0)
  const readers = [storage.openLongReads()('acc_a'), storage.readOf('acc_a'), storage.read]
  for (const reader of readers) {
    await reader.selectFrom('accounts').select('id').execute()
    await reader.destroy()
  }
  await storage.close()
  await expect(storage.read.selectFrom('accounts').select('id').execute()).rejects.toThrow('destroyed')
})
