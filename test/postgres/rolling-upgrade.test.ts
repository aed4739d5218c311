import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { readDeferred } from '../../src/messages/queue/deferred.ts'
import { findOffers } from '../../src/messages/phones/phone-offers.ts'
import { readOptOuts } from '../../src/messages/core/read-opt-outs.ts'
import { units } from '../../src/messages/units.ts'
import { claimDeliveries } from '../../src/webhooks/claim-deliveries.ts'
import { openMessagesFixture } from '../messages-fixture.ts'

test('a node that runs goes on while the next version adds a column to every table', async () => {
  const house = await openMessagesFixture()
  onTestFinished(() => house.close())
  await house.addAccount('acc_a', 10)
  await house.addDevice('dev_s')
  const { writer, read } = house.storage
  const name = { account_id: 'acc_a', mode: 'live', id: 'msg_a' } as const
  const request = house.request({ idempotency: { key: 'one', fingerprint: 'f' } })
  // What is prepared is asked for on the one connection that writes, before and after.
  const ask = async (): Promise<string | undefined> => {
    const [result] = await writer.write((tx) => units.sendMessages(tx, [request]))
    await writer.write((tx) => readOptOuts(tx, { accountId: 'acc_a', mode: 'live' }, ['+4915112345678']))
    await writer.write((tx) => findOffers(tx, ['att_a']))
    await writer.write((tx) => readDeferred(tx, [name]))
    const wants = [{ accountId: 'acc_a', endpointId: 'whk_a', most: 1 }]
    await writer.write((tx) => claimDeliveries(tx, { wants, nowMs: 0, leaseMs: 1 }))
    return result?.kind
  }
  expect(await ask()).toBe('accepted')
  expect(await ask()).toBe('replayed')
  await house.dispatcher.drain()
  const tables = await sql<{
    name: string
  }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(read)
  expect(tables.rows.length).toBeGreaterThan(30)
  await writer.write(async (tx) => {
    for (const table of tables.rows)
      await sql`alter table ${sql.table(table.name)} add column added_later bigint`.execute(tx)
  })
  expect(await ask()).toBe('replayed')
  await house.send()
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sent', 'sent'])
})
