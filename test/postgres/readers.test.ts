import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openCluster } from '../nodes/cluster.ts'
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

test('who calls is found out, and whether the node is ready, though pages and janitors have taken all that reads for all', async () => {
  const cluster = await openCluster()
  const node = await cluster.start()
  const { liveKey } = await cluster.openAccount('Ada')
  const { read } = node.app.storage
  const taken = Array.from({ length: 8 }, () => sql`select pg_sleep(8)`.execute(read).catch(() => undefined))
  await expect(read.selectFrom('instance').select('id').execute()).rejects.toMatchObject({
    fault: 'unavailable',
  })
  expect((await fetch(`${node.url}/readyz`)).status).toBe(200)
  expect(await node.client.balance(liveKey)).toMatchObject({ reserved: 0 })
  const { app } = node
  await app.storage.writer.write((tx) =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(8)%' and pid <> pg_backend_pid() and datname = current_database()`.execute(
      tx,
    ),
  )
  await Promise.all(taken)
})
