import { afterEach, beforeEach, expect, test } from 'vitest'
import { eraseNumber } from '../../src/privacy/erase-number.ts'
import { createNumberHash } from '../../src/numbers/number-hash.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { deliveredAt, storedMessage } from '../history/stored-messages.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'

let house: TestStorage
beforeEach(async () => {
  house = await openTestStorage()
})
afterEach(() => house.close())

test.for(['fresh', 'analysed'])('of messages none is read but those to and from the number that is erased, on %s tables', async (state) => {
  const { storage, clock, ids } = house
  const at = clock.now()
  const rows = Array.from({ length: 300 }, (_, i) =>
    storedMessage({
      account_id: 'acc_ada', id: ids('msg'), created_at: at, ...deliveredAt(at), recipient: `+491511${1_000_000 + i}`,
      ...(i % 2 === 0 ? {} : { direction: 'inbound' as const, status: 'received' as const, sender: `+491511${1_000_000 + i}`, recipient: '12345', send_id: null, held: 0, charged: 0, cost_state: 'none' as const, parts_sent: 0, attempts: 0, sent_at: null, delivered_at: null, receipt_expected: null }),
    }),
  )
  await storage.writer.write(async (tx) => {
    await insertRows(tx, 'accounts', [{ id: 'acc_ada', name: 'Ada', state: 'active', created_at: at, updated_at: at }])
    await insertRows(tx, 'wallets', [{ account_id: 'acc_ada', mode: 'live', granted: 0, reserved: 0, used: 0, low_threshold: 0 }])
    await insertRows(tx, 'messages', rows)
  })
  if (state === 'analysed') await storage.writer.write(analyse)
  const numbers = createNumberHash({ current: 'a secret of this test, long enough', former: [] })
  const deps = { read: storage.read, writer: storage.writer, clock, ids, numbers, announceWrite: <T>(atMs: number, write: (timeIn: () => Promise<number>) => T) => write(async () => atMs) }
  const said = await statementsOf(storage.read, async () => {
    const asked = { number: '+4915111000001', accountId: 'acc_ada', actor: 'test', code: 'canceled_by_operator' } as const
    expect(await eraseNumber(deps, asked)).toMatchObject({ erased: 1 })
  })
  const steps = await stepsOf(house.dataFolder, ...said.filter((one) => /from messages\b/.test(one.sql) && !/idempotency_keys/.test(one.sql)))
  const indexes = new Set(steps.map((step) => /messages_\w+/.exec(step)?.[0] ?? step))
  expect([...indexes].toSorted()).toEqual(['messages_by_recipient', 'messages_received_from'])
}) // prettier-ignore
