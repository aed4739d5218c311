import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { OptOuts } from '../../src/messages/opt-outs.ts'
import { createNumberHash } from '../../src/number-hash.ts'
import { StorageError } from '../../src/storage/dialect.ts'
import { insertRows } from '../../src/storage/sets.ts'
import { startTestApi } from '../api/start-test-api.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

let base: TestStorage
let optOuts: OptOuts
const numbers = createNumberHash({ current: 'a secret of this test, long enough', previous: null })
beforeEach(async () => {
  base = await openTestStorage()
  optOuts = new OptOuts(base.storage.read, numbers)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await base.close()
})

const ada = { accountId: 'acc_ada', mode: 'live' } as const
const [stopped, other] = ['+4915112345678', '+4915112345679'] as const
const store = (forgetAt: number | null = null) =>
  base.storage.writer.write((tx) =>
    insertRows(tx, 'opt_outs', [
      {
        account_id: ada.accountId,
        mode: ada.mode,
        recipient: stopped,
        created_at: base.clock.now(),
        forget_at: forgetAt,
      },
    ]),
  )
const find = async (name: Parameters<OptOuts['find']>[0] = ada) => [
  ...(await optOuts.find(name, [other, stopped], base.clock.now())),
]
const statements = () => vi.spyOn(base.storage.read.getExecutor(), 'executeQuery')

test('before it knows which accounts have opt-outs it asks about everybody', async () => {
  await store()
  expect(await find()).toEqual([stopped])
})

test('an account that has none costs no look-up, one that has them is asked about, in its own mode alone', async () => {
  await store()
  await optOuts.refresh()
  const asked = statements()
  expect(await find({ accountId: 'acc_bob', mode: 'live' })).toEqual([])
  expect(await find({ accountId: 'acc_ada', mode: 'test' })).toEqual([])
  expect(asked).not.toHaveBeenCalled()
  expect(await find()).toEqual([stopped])
  expect(asked).toHaveBeenCalled()
})

test('while it reads anew, and when it cannot, it asks about everybody instead of trusting what it knew', async () => {
  await optOuts.refresh()
  expect(await find()).toEqual([])
  await store()
  const failing = statements().mockRejectedValueOnce(new StorageError('gone', 'unavailable', false))
  const refreshing = optOuts.refresh().catch(String)
  expect(await find()).toEqual([stopped])
  expect(await refreshing).toContain('gone')
  failing.mockRestore()
  expect(await find()).toEqual([stopped])
})

test('of two readings that overlap the later one counts, though the earlier one ends before it', async () => {
  const executor = base.storage.read.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  const held: (() => void)[] = []
  statements().mockImplementation(async (...query) => {
    const answer = await execute(...query)
    await new Promise<void>((resolve) => held.push(resolve))
    return answer
  })
  const earlier = optOuts.refresh()
  await vi.waitUntil(() => held.length === 1, { timeout: 10_000 })
  await store()
  const later = optOuts.refresh()
  await vi.waitUntil(() => held.length === 2, { timeout: 10_000 })
  vi.restoreAllMocks()
  held[0]?.()
  await earlier
  expect(await find()).toEqual([stopped])
  held[1]?.()
  await later
  expect(await find()).toEqual([stopped])
})

test('an opt-out that has ended stops nobody, one without an end stops for ever', async () => {
  await store(base.clock.now() + 60_000)
  expect(await find()).toEqual([stopped])
  base.clock.jumpWallClock(60_000)
  expect(await find()).toEqual([])
  await base.storage.writer.write((tx) => tx.updateTable('opt_outs').set({ forget_at: null }).execute())
  base.clock.jumpWallClock(100 * 365 * 86_400_000)
  expect(await find()).toEqual([stopped])
})

test('when nobody can say who opted out, nothing is sent', async () => {
  statements().mockRejectedValue(new StorageError('gone', 'unavailable', false))
  await expect(find()).rejects.toThrow('gone')
  vi.restoreAllMocks()

  const api = await startTestApi({
    ports: { optedOut: () => Promise.reject(new StorageError('gone', 'unavailable', false)) },
  })
  const answer = await api.send({ to: stopped, text: 'Hello' })
  expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(answer.body.detail).toMatch(/Nothing was sent\.$/)
  expect(await api.storage.read.selectFrom('messages').selectAll().execute()).toEqual([])
  await api.close()
})
