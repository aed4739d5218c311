import { Client } from 'pg'
import { expect, test } from 'vitest'
import { eventually, until } from '../eventually.ts'
import { openCluster } from '../nodes/cluster.ts'
import { openServed } from './served-storage.ts'

const holdLock = 'begin; select pg_advisory_xact_lock(160160160)'

test('a writer that waited too long for the lock, or was cancelled while it waited, writes again when the lock is free', async () => {
  const { storage, beside } = await openServed()
  const write = () => storage.writer.write(async (tx) => tx.selectFrom('accounts').select('id').execute())
  await beside.query(holdLock)
  for (let i = 0; i < 3; i++) await expect(write()).rejects.toMatchObject({ fault: 'busy' })
  const cancel = async () => (await beside.query<{ done: boolean }>(cancelWaiting)).rows.length
  // One that is not seen while it waits is busy, too: then the next one is cancelled.
  const cancelled = async () => {
    const said = write().catch(String)
    await Promise.race([said, until(cancel, (count) => count === 1, 400).catch(() => null)])
    return said
  }
  await eventually(cancelled, (said) => expect(said).toContain('due to user request'))
  expect(storage.writer.trouble()).toMatchObject({ fault: 'busy' })
  await beside.query('commit')
  expect(await write()).toEqual([])
  expect(storage.writer.trouble()).toBeNull()
})

const cancelWaiting =
  "select pg_cancel_backend(pid) as done from pg_stat_activity where application_name = 'served' and wait_event = 'advisory' and datname = current_database()"

test('a node says that it is not ready while the database takes no writes, and that it is when it does again', async () => {
  const cluster = await openCluster()
  const node = await cluster.start({ ONESIXTY_POSTGRES_STATEMENT_TIMEOUT_MS: '1000' })
  const ready = async () => (await fetch(`${node.url}/readyz`)).json()
  expect(await ready()).toEqual({ status: 'ready', reasons: [] })
  const beside = new Client({ connectionString: node.config.databaseUrl ?? '' })
  await beside.connect()
  try {
    await beside.query(holdLock)
    await expect(node.app.storage.writer.write(async () => undefined)).rejects.toMatchObject({
      fault: 'busy',
    })
    expect(await ready()).toEqual({ status: 'not_ready', reasons: ['the database accepts no writes'] })
  } finally {
    await beside.end()
  }
  await eventually(ready, (seen) => expect(seen).toEqual({ status: 'ready', reasons: [] }))
})
