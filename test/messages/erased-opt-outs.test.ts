import { afterEach, beforeEach, expect, test } from 'vitest'
import { eraseInOptOuts } from '../../src/privacy/erase-number-traces.ts'
import { endOptOut, storeOptOuts } from '../../src/messages/opt-outs/store-opt-outs.ts'
import { OptOutCache } from '../../src/messages/opt-outs/opt-out-cache.ts'
import { createNumberHash } from '../../src/numbers/number-hash.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

/** What a number says before, between and after erasures of it. */

const number = '+4915112345678'
const numbers = createNumberHash({ current: 'a secret of this test, long enough', former: [] })
const ada = { accountId: 'acc_ada', mode: 'live' } as const
let base: TestStorage
beforeEach(async () => {
  base = await openTestStorage()
  const at = base.clock.now()
  await base.storage.writer.write(async (tx) => {
    await insertRows(tx, 'accounts', [
      { id: ada.accountId, name: 'Ada', state: 'active', created_at: at, updated_at: at },
    ])
    await insertRows(tx, 'wallets', [
      { account_id: ada.accountId, mode: 'live', granted: 0, reserved: 0, used: 0, low_threshold: 0 },
    ])
  })
})
afterEach(() => base.close())

const sayStop = () =>
  base.storage.writer.write(async (tx) =>
    storeOptOuts(
      tx,
      { ids: base.ids, unit: await takeChange(tx, base.clock.now()) },
      { ...ada, recipients: [number], origin: 'message' },
    ),
  )
const sayStart = (nowMs = base.clock.now()) =>
  base.storage.writer.write((tx) =>
    endOptOut(tx, base.ids, {
      ...ada,
      recipient: number,
      spellings: [number, numbers.of(number)],
      origin: 'message',
      nowMs,
    }),
  )
const erase = () => {
  const { read, writer } = base.storage
  const asked = { number, accountId: null, actor: 'usr_olga', code: 'canceled_by_operator' } as const
  return eraseInOptOuts({ read, writer, clock: base.clock, ids: base.ids, numbers }, asked)
}
const hasOptedOut = async () =>
  (await new OptOutCache(base.storage.read, numbers).find(ada, [number], base.clock.now())).has(number)
const rows = () => base.storage.read.selectFrom('opt_outs').select(['recipient', 'forget_at']).execute()

test('a STOP that follows an erasure and a START is kept by the next erasure', async () => {
  await sayStop()
  await erase()
  await base.clock.advance(1)
  expect(await sayStart()).toBe(true)
  expect(await hasOptedOut()).toBe(false)
  await base.clock.advance(1)
  await sayStop()
  await erase()
  expect(await rows()).toEqual([{ recipient: numbers.of(number), forget_at: null }])
  expect(await hasOptedOut()).toBe(true)
})

test('a START that follows is kept too, and what ended before takes nothing from what holds', async () => {
  await sayStop()
  await erase()
  await base.clock.advance(1)
  await sayStop()
  await sayStart()
  await erase()
  expect(await rows()).toEqual([{ recipient: numbers.of(number), forget_at: base.clock.now() }])
  await base.storage.writer.write((tx) => tx.updateTable('opt_outs').set({ forget_at: null }).execute())
  const ended = { account_id: ada.accountId, mode: ada.mode, recipient: number, created_at: 1, forget_at: 2 }
  await base.storage.writer.write((tx) => insertRows(tx, 'opt_outs', [ended]))
  await erase()
  expect(await rows()).toEqual([{ recipient: numbers.of(number), forget_at: null }])
})

test('two STOPs, of which one is under the hash, become one', async () => {
  await sayStop()
  await erase()
  await sayStop()
  await erase()
  expect(await rows()).toEqual([{ recipient: numbers.of(number), forget_at: null }])
})

test('a STOP holds though the START before it was stored by a clock that is ahead', async () => {
  await sayStop()
  await sayStart(base.clock.now() + 60_000)
  expect((await sayStop()).added).toEqual([number])
  await base.clock.advance(60_001)
  expect(await hasOptedOut()).toBe(true)
})
