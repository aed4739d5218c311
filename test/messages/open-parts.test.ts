import { afterEach, beforeEach, expect, test } from 'vitest'
import { referenceOfPart } from '../../src/sms/part-reference.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { lost, type LostHouse, openLostHouse } from './lost-house.ts'
import { accepted } from './outcomes.ts'

/** Receipts that name their message by less than its id: among what waits for one they are about exactly one part, or about none. */

let house: LostHouse
beforeEach(async () => {
  house = await openLostHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

/** One that the network took under these ids. */
async function submitted(...networkIds: string[]) {
  await house.send({ parts: networkIds.length })
  const claimed = await house.claim()
  await house.end(claimed, accepted(...networkIds))
  return claimed
}
const noId = (attemptId: string, part = 0) => {
  const reference = referenceOfPart(attemptId, part)
  return { networkId: `?${reference}/4915112345678`, hasNoId: true as const, reference }
}
const parked = async () => (await house.rowsOf('parked_receipts')).length

test('a receipt without an id settles the part whose reference it brings, and no other message to that number', async () => {
  await submitted('n1')
  const { attemptId } = await submitted('n2')
  await house.receiveAll([noId(attemptId)])
  expect(await house.statuses()).toEqual(['sent', 'delivered'])
  expect(await parked()).toBe(0)
})

test('of a long message it settles that part alone, and its repeat settles nothing more', async () => {
  const { attemptId } = await submitted('n1', 'n2')
  await house.receiveAll([noId(attemptId, 1)])
  await house.receiveAll([noId(attemptId, 1)])
  expect(await house.statuses()).toEqual(['sent'])
  await house.receiveAll([noId(attemptId, 0)])
  expect(await house.statuses()).toEqual(['delivered'])
})

test.for<[what: string, other: { reference?: number; numbers?: readonly string[] }]>([
  ['another reference', { reference: 1 }],
  ['the number of nobody', { numbers: ['4915187654321'] }],
  ['no number', { numbers: [] }],
])('with %s it is about nobody, and kept', async ([, { numbers = ['4915112345678'], ...other }]) => {
  const { attemptId } = await submitted('n1')
  await house.receiveAll([{ ...noId(attemptId), ...other, numbers }])
  expect(await house.statuses()).toEqual(['sent'])
  expect(await parked()).toBe(1)
})

test('of what is sent for good, on a link that tells failures alone, one without an id finds the part whose reference it brings', async () => {
  await house.send()
  const { attemptId, ...claimed } = await house.claim()
  await house.end(
    { attemptId, ...claimed },
    { ...accepted('n1'), receiptExpected: false, failuresReported: true },
  )
  await house.receiveAll([{ ...noId(attemptId), reference: 1, result: 'undelivered' }])
  expect([await house.statuses(), await parked()]).toEqual([['sent'], 1])
  await house.receiveAll([{ ...noId(attemptId), result: 'undelivered', code: 'unreachable' }])
  expect([await house.statuses(), await parked()]).toEqual([['undelivered'], 1])
})

test('nor is one over another device', async () => {
  const { attemptId } = await submitted('n1')
  await house.receive('n', noId(attemptId), 'dev_other')
  expect(await house.statuses()).toEqual(['sent'])
})

test('a part in doubt is settled by its reference alone, too, and what stands for the id is not kept as one', async () => {
  const { attemptId } = await house.loseOne()
  await house.receiveAll([noId(attemptId)])
  expect(await house.statuses()).toEqual(['delivered'])
  const attempts = await house.store.db.selectFrom('attempts').select('network_ids').execute()
  expect(JSON.stringify(attempts)).not.toContain('?')
})

test('one that came before the answer turned out lost is found then', async () => {
  await house.send()
  const claimed = await house.claim()
  await house.receiveAll([noId(claimed.attemptId)])
  expect(await parked()).toBe(1)
  await house.end(claimed, lost())
  expect(await house.statuses()).toEqual(['delivered'])
})

test('one that came before the answer that names the id is found with it, and not by another message', async () => {
  await house.send({ parts: 2 })
  const claimed = await house.claim()
  await house.receiveAll([noId(claimed.attemptId, 1)])
  await submitted('n1')
  expect([await house.statuses(), await parked()]).toEqual([['sending', 'sent'], 1])
  await house.end(claimed, accepted('n2', 'n3'))
  expect(await parked()).toBe(0)
  await house.receiveAll([noId(claimed.attemptId, 0)])
  expect(await house.statuses()).toEqual(['delivered', 'sent'])
})

test('an id in other letters settles the one part that it can be, and no part where it can be two', async () => {
  await submitted('AbC')
  await house.receiveAll([{ networkId: 'aBc' }])
  expect(await house.statuses()).toEqual(['sent'])
  await house.receiveAll([{ networkId: 'aBc', anyCase: true }])
  expect(await house.statuses()).toEqual(['delivered'])
  await submitted('xY')
  await submitted('Xy')
  await house.receiveAll([{ networkId: 'xy', anyCase: true }])
  expect(await house.statuses()).toEqual(['delivered', 'sent', 'sent'])
  await house.receiveAll([{ networkId: 'xY', anyCase: true }])
  expect(await house.statuses()).toEqual(['delivered', 'delivered', 'sent'])
})

test('a receipt that names the number of the sender alone counts by its id, if that reads as one part', async () => {
  const one = { numbers: ['4930123456'], isOneSided: true as const }
  const send = async (...ids: string[]): Promise<void> => {
    await submitted(...ids)
    await house.store.writer.write((tx) =>
      tx.updateTable('messages').set({ sender: '+4930123456' }).execute(),
    )
  }
  await send('77')
  await house.receive('77', { numbers: ['4930123456', '4930123457'] })
  expect(await house.statuses()).toEqual(['sent'])
  await house.receive('77', one)
  expect(await house.statuses()).toEqual(['delivered'])
  await send('10')
  await send('a')
  await house.receive('10', { ...one, alternatives: ['a'] })
  expect(await house.statuses()).toEqual(['delivered', 'sent', 'sent'])
})

test('of a message without a sender it counts if it names a number that its device was given, and no other number does', async () => {
  const device = {
    id: 'dev_s', account_id: null, mode: 'live', kind: 'smpp', name: 'A', state: 'enabled', senders: '[]', settings: '{}', secrets: null,
    created_at: 1, updated_at: 1,
  } as const // prettier-ignore
  await house.store.writer.write((tx) => insertRows(tx, 'devices', [device]))
  const giveSenders = (...senders: string[]) =>
    house.store.writer.write((tx) =>
      tx
        .updateTable('devices')
        .set({ senders: JSON.stringify(senders) })
        .where('id', '=', 'dev_s')
        .execute(),
    )
  const one = { numbers: ['4930123456'], isOneSided: true as const }
  await submitted('77')
  await house.receive('77', one)
  await giveSenders('ACME', '+4930999999')
  await house.receive('77', one)
  expect(await house.statuses()).toEqual(['sent'])
  await giveSenders('ACME', '+4930123456')
  await house.receive('77', { numbers: ['4930123456', '4930999999'] })
  expect(await house.statuses()).toEqual(['sent'])
  await house.receive('77', one)
  expect(await house.statuses()).toEqual(['delivered'])
})

test('one that names the number of another recipient alone takes no part of a stranger, however its id reads', async () => {
  await submitted('34')
  const other = { numbers: ['4915199999999'], isOneSided: true as const }
  await house.receive('22', { ...other, alternatives: ['34'] })
  await house.receive('34', other)
  expect(await house.statuses()).toEqual(['sent'])
  // Nor one that names the sender, which all messages of a link may have: its own was settled before, or is not stored yet.
  await house.store.writer.write((tx) => tx.updateTable('messages').set({ sender: '+4930123456' }).execute())
  await house.receive('22', { numbers: ['4930123456'], isOneSided: true, alternatives: ['34'] })
  expect(await house.statuses()).toEqual(['sent'])
})
