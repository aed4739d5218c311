import { expect, onTestFinished, test } from 'vitest'
import { takeLeases } from '../../src/devices/core/device-lease.ts'
import { claimMessages } from '../../src/messages/queue/claim-messages.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { openMessagesFixture } from '../messages-fixture.ts'
import { changeOnDemand } from '../../src/messages/core/change-number.ts'

async function openHouse() {
  const house = await openMessagesFixture()
  onTestFinished(() => house.close())
  await house.addAccount('acc_a', 10)
  const { storage, clock, ids } = house
  await storage.writer.write((tx) =>
    tx
      .insertInto('devices')
      .values({
        id: 'dev_s',
        mode: 'live',
        kind: 'smpp',
        name: 's',
        state: 'enabled',
        senders: '[]',
        settings: '{}',
        created_at: 1,
        updated_at: 1,
      })
      .execute(),
  )
  await house.send()
  const take = async (owner: string, atMs: number): Promise<number | undefined> => {
    const asked = { owner, isAlone: false, deviceIds: ['dev_s'], nowMs: atMs }
    return (await storage.writer.write((tx) => takeLeases(tx, asked)))[0]?.token
  }
  const claim = (lease: { leaseToken?: number }) => {
    const request = { accountId: 'acc_a', mode: 'live' as const, routeKey: routeKeyOf({ mode: 'live', sender: null }), deviceId: 'dev_s', quota: 5, partsOver: 0, partsUpTo: 10, ...lease } // prettier-ignore
    const input = { requests: [request], nowMs: clock.now(), dueMs: clock.now(), fence: 1 }
    return storage.writer.write((tx) => claimMessages(tx, ids, input, changeOnDemand(tx, input.nowMs)))
  }
  const attempts = () => storage.read.selectFrom('attempts').select(['number', 'lease_token']).execute()
  return { take, claim, attempts, nowMs: clock.now() }
}

test('a node whose link another has taken claims nothing for it, and the other does under its own token', async () => {
  const { take, claim, attempts, nowMs } = await openHouse()
  const stale = (await take('one', nowMs)) as number
  const token = (await take('two', nowMs + 45_000)) as number
  expect(token).toBeGreaterThan(stale)
  expect(await claim({ leaseToken: stale })).toEqual({ claimed: [], found: [0] })
  expect(await attempts()).toEqual([])
  expect((await claim({ leaseToken: token })).found).toEqual([1])
  expect(await attempts()).toEqual([{ number: 1, lease_token: token }])
})

test('a process that was stopped and let go on is refused what its successor of the same name holds', async () => {
  const { take, claim, nowMs } = await openHouse()
  const before = (await take('one', nowMs)) as number
  const after = (await take('one', nowMs + 1)) as number
  expect((await claim({ leaseToken: before })).found).toEqual([0])
  expect((await claim({ leaseToken: after })).found).toEqual([1])
})

test('what every node may serve needs no lease', async () => {
  const { claim, attempts } = await openHouse()
  expect((await claim({})).found).toEqual([1])
  expect(await attempts()).toEqual([{ number: 1, lease_token: null }])
})
