import { expect, onTestFinished, test } from 'vitest'
import { readNetworkIds } from '../../src/messages/history/network-ids.ts'
import { openUnitHouse } from './unit-house.ts'

test('the IDs of a message are those of all its attempts, first attempt first; attempts and messages without any are left out', async () => {
  const house = await openUnitHouse()
  onTestFinished(() => house.close())
  const ids: string[] = []
  for (const networkIds of [[], ['n1', 'n2']]) {
    await house.send({ onUnknown: 'resend_once', parts: 2 })
    const claimed = await house.claim()
    ids.push(claimed.messageId)
    await house.end(claimed, { kind: 'unknown', networkIds, partsTaken: 0, detail: 'no answer' })
    await house.end(await house.claim(), {
      kind: 'accepted',
      networkIds: ['n3', 'n4'],
      receiptExpected: true,
    })
  }
  await house.send()
  const without = await house.claim()
  const found = await readNetworkIds(house.store.db, { accountId: 'acc_a', mode: 'live' }, [
    ...ids,
    without.messageId,
  ])
  expect([...found]).toEqual([
    [ids[0], ['n3', 'n4']],
    [ids[1], ['n1', 'n2', 'n3', 'n4']],
  ])
})
