import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { openServed } from './served-storage.ts'

/** More than the buffers of two sockets and of the proxy hold. */
const largeAnswer = sql`select repeat('x', 1000) as x from generate_series(1, 100000)`

test('a node that stands still while it is told more than the network holds lets the lock of writes go', async () => {
  const { storage, proxy, beside } = await openServed({ statementTimeoutMs: 60_000 })
  const frozen = storage.writer
    .write(async (tx) => {
      proxy.set('toClient', { hold: true })
      await largeAnswer.execute(tx)
    })
    .catch((error: unknown) => error)
  const waitsFor = async () => {
    const { rows } = await beside.query<{ wait_event: string }>(
      "select wait_event from pg_stat_activity where datname = current_database() and wait_event = 'ClientWrite'",
    )
    return rows.length
  }
  await eventually(waitsFor, (count) => expect(count).toBe(1))
  await beside.query("set statement_timeout = '12s'; select pg_advisory_lock(160160160)")
  await beside.query('select pg_advisory_unlock(160160160)')
  proxy.heal()
  expect(await frozen).toMatchObject({ fault: 'unavailable' })
})
