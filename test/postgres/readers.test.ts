import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createOperatorToken } from '../../src/accounts/keys/operator-tokens.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { storeOptOuts } from '../../src/messages/opt-outs/store-opt-outs.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { eventually } from '../eventually.ts'
import { openCluster } from '../nodes/cluster.ts'
import { openFolder } from '../open-folder.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

let fixture: TestStorage
beforeEach(async () => {
  fixture = await openTestStorage({ isStarted: false })
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

test('who calls is found out, who has opted out, and whether the node is ready, though pages and janitors have taken all that reads for all', async () => {
  const cluster = await openCluster()
  const node = await cluster.start()
  const { accountId, liveKey } = await cluster.openAccount('Ada')
  const { read, writer } = node.app.storage
  const deps = { ids: createIds({ now: systemClock.now }), nowMs: systemClock.now(), randomBytes }
  const { token } = await writer.write((tx) =>
    createOperatorToken(tx, deps, { name: 'Billing', scope: 'read', expiresAt: null, actor: 'test' }),
  )
  const stopped = '+4915112345678'
  const at = deps.nowMs
  const device = { id: 'dev_s', account_id: null, mode: 'live', kind: 'simulator', name: 'S', state: 'enabled', senders: '[]', settings: '{}', created_at: at, updated_at: at } as const // prettier-ignore
  await writer.write(async (tx) => {
    await insertRows(tx, 'devices', [device])
    await touchDirectory(tx)
    await storeOptOuts(
      tx,
      { ids: deps.ids, unit: await takeChange(tx, at) },
      {
        accountId,
        mode: 'live',
        recipients: [stopped],
        origin: 'console',
      },
    )
  })
  const sent = () => node.client.send(liveKey, { to: '+4915112345679', text: 'Hello' })
  await eventually(sent, ({ status }) => expect(status).toBe(202))
  const taken = Array.from({ length: 8 }, () => sql`select pg_sleep(8)`.execute(read).catch(() => undefined))
  await expect(read.selectFrom('instance').select('id').execute()).rejects.toMatchObject({
    fault: 'unavailable',
  })
  expect((await fetch(`${node.url}/readyz`)).status).toBe(200)
  expect(await node.client.balance(liveKey)).toMatchObject({ reserved: 0 })
  const refused = await node.client.send(liveKey, { to: stopped, text: 'Hello' })
  expect(refused.body).toMatchObject({
    errors: [{ code: 'recipient_opted_out' }],
  })
  const grants = `${node.url}/operator/v1/accounts/acc_${'0'.repeat(26)}/grants`
  const headers = { authorization: `Bearer ${token}` }
  expect(await (await fetch(grants, { method: 'POST', headers })).json()).toMatchObject({
    code: 'insufficient_scope',
  })
  const { app } = node
  await app.storage.writer.write((tx) =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(8)%' and pid <> pg_backend_pid() and datname = current_database()`.execute(
      tx,
    ),
  )
  await Promise.all(taken)
})
