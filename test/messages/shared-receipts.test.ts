import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { requireRoomInGroup } from '../../src/devices/core/device-groups.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import type { ReceiptWord } from '../../src/messages/outcomes/receipt-readings.ts'
import { settleReceipts } from '../../src/messages/outcomes/settle-receipts.ts'
import { type UnitHouse, openUnitHouse } from './unit-house.ts'
import { accepted, unknown } from './outcomes.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { readShown } from './shown-messages.ts'

const groups: Readonly<Record<string, string>> = {
  dev_a: 'grp_a',
  dev_b: 'grp_a',
  dev_c: 'grp_b',
  dev_d: 'grp_b',
  dev_e: 'grp_c',
  dev_f: 'grp_c',
}

let house: UnitHouse
beforeEach(async () => {
  house = await openUnitHouse()
  await house.store.writer.write(async (tx) => {
    const group = { name: 'Carrier', created_at: 1 }
    await tx
      .insertInto('device_groups')
      .values({ id: 'grp_a', shared_receipts: 1, ...group })
      .execute()
    await tx
      .insertInto('device_groups')
      .values({ id: 'grp_b', shared_receipts: 0, ...group })
      .execute()
    await tx
      .insertInto('device_groups')
      .values({ id: 'grp_c', shared_receipts: 1, ...group })
      .execute()
    for (const [id, group_id] of Object.entries(groups))
      // prettier-ignore
      await tx
        .insertInto('devices')
        .values({ id, group_id, mode: 'live', kind: 'smpp', name: id, state: 'enabled', senders: '[]', settings: '{}', created_at: 1, updated_at: 1 }) // prettier-ignore
        .execute()
  })
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

/** As the dispatcher claims: with the group of the device. */
const claim = async (deviceId: string): Promise<Claimed> => ({
  ...(await house.claim(deviceId)),
  groupId: groups[deviceId] as string,
})
async function submit(deviceId: string, to: string, networkId: string): Promise<void> {
  await house.send({ recipients: [{ to, country: 'DE' }] })
  await house.end(await claim(deviceId), accepted(networkId))
}
function wordOf(deviceId: string, networkId: string, more: Partial<ReceiptWord> = {}): ReceiptWord {
  const groupId = groups[deviceId] as string
  return { deviceId, groupId, networkId, result: 'delivered', code: null, networkCode: null, atMs: house.clock.now(), ...more } // prettier-ignore
}
async function receive(...word: Parameters<typeof wordOf>): Promise<void> {
  await house.store.writer.write((tx) =>
    settleReceipts(tx, [wordOf(...word)], takeChange(tx, house.clock.now())),
  )
}
const statuses = async () =>
  (await readShown(house.store.db)).map(
    ({ recipient, status, device_id }) => `${recipient} ${status} ${device_id}`,
  )

const [one, other] = ['+4915112345601', '+4915112345602']

test('six messages over two hosts of one carrier are delivered, though each receipt comes over the other session', async () => {
  const sent = Array.from({ length: 6 }, (_, i) => ({
    device: i % 2 === 0 ? 'dev_a' : 'dev_b',
    id: `n${i}`,
    to: `+491511234560${i}`,
  }))
  for (const { device, to, id } of sent) await submit(device, to, id)
  for (const { device, to, id } of sent)
    await receive(device === 'dev_a' ? 'dev_b' : 'dev_a', id, { numbers: [to] })
  // It stays with the device that has sent it.
  expect(await statuses()).toEqual(sent.map(({ device, to }) => `${to} delivered ${device}`))
  expect(await house.store.db.selectFrom('receipts_expected').selectAll().execute()).toEqual([])
  expect(await house.store.db.selectFrom('parked_receipts').selectAll().execute()).toEqual([])
})

test('an id that both hosts have given is about the recipient that the receipt names, and without one about the host that told it', async () => {
  await submit('dev_a', one, 'n1')
  await submit('dev_b', other, 'n1')
  await receive('dev_b', 'n1', { numbers: [one.slice(1)] })
  expect(await statuses()).toEqual([`${one} delivered dev_a`, `${other} sent dev_b`])
  await submit('dev_a', one, 'n1')
  await receive('dev_b', 'n1')
  expect(await statuses()).toEqual([
    `${one} delivered dev_a`,
    `${other} delivered dev_b`,
    `${one} sent dev_a`,
  ])
})

test('a receipt that names another recipient is about no message of the other host, and is kept', async () => {
  await submit('dev_a', one, 'n1')
  await receive('dev_b', 'n1', { numbers: [other] })
  expect(await statuses()).toEqual([`${one} sent dev_a`])
  expect(await house.store.db.selectFrom('parked_receipts').select('device_id').execute()).toEqual([
    { device_id: 'dev_b' },
  ])
})

test('devices of a group that does not share its receipts, or of none, have each their own', async () => {
  await submit('dev_c', one, 'n1')
  await receive('dev_d', 'n1', { numbers: [one] })
  await receive('dev_a', 'n1', { numbers: [one] })
  expect(await statuses()).toEqual([`${one} sent dev_c`])
})

test('a group that does not share its receipts shares none beside one that does, in one transaction', async () => {
  await house.send({ recipients: [{ to: one, country: 'DE' }] })
  await house.end(await claim('dev_c'), unknown())
  const words = [wordOf('dev_a', 'n1', { numbers: [other] }), wordOf('dev_d', 'n2', { numbers: [one] })]
  await house.store.writer.write((tx) => settleReceipts(tx, words, takeChange(tx, house.clock.now())))
  expect(await statuses()).toEqual([`${one} unconfirmed dev_c`])
})

test('two groups that share their receipts share none with each other: of a message, of a lost answer, and before the answer', async () => {
  await submit('dev_e', one, 'n1')
  await receive('dev_a', 'n1', { numbers: [one] })
  await house.send({ recipients: [{ to: other, country: 'DE' }] })
  await house.end(await claim('dev_e'), unknown())
  await receive('dev_a', 'n2', { numbers: [other] })
  const third = '+4915112345603'
  await house.send({ recipients: [{ to: third, country: 'DE' }] })
  const claimed = await claim('dev_e')
  await receive('dev_a', 'n3', { numbers: [third] })
  await house.end(claimed, accepted('n3'))
  expect(await statuses()).toEqual([`${one} sent dev_e`, `${other} unconfirmed dev_e`, `${third} sent dev_e`])
})

test('a receipt over the other session that comes before the answer to its submit finds its message, and only that', async () => {
  await house.send({ recipients: [{ to: one, country: 'DE' }] })
  const claimed = await claim('dev_a')
  await receive('dev_b', 'n1', { numbers: [one] })
  await receive('dev_d', 'n1', { numbers: [one] })
  await house.end(claimed, accepted('n1'))
  expect(await statuses()).toEqual([`${one} delivered dev_a`])
  expect(await house.store.db.selectFrom('parked_receipts').select('device_id').execute()).toEqual([
    { device_id: 'dev_d' },
  ])
})

test('of a submit whose answer was lost the receipt over the other session tells, before and after that is known', async () => {
  for (const to of [one, other]) await house.send({ recipients: [{ to, country: 'DE' }] })
  const [first, second] = [await claim('dev_a'), await claim('dev_a')]
  await house.end(first, unknown())
  await receive('dev_b', 'n1', { numbers: [one] })
  await receive('dev_b', 'n2', { numbers: [other] })
  await house.end(second, unknown())
  expect(await statuses()).toEqual([`${one} delivered dev_a`, `${other} delivered dev_a`])
})

test('where an attempt of the other host to that number may be meant as well, a receipt tells of none', async () => {
  await house.send({ recipients: [{ to: one, country: 'DE' }] })
  await house.end(await claim('dev_a'), unknown())
  await submit('dev_b', one, 'n9')
  await receive('dev_b', 'n1', { numbers: [one] })
  expect(await statuses()).toEqual([`${one} unconfirmed dev_a`, `${one} sent dev_b`])
})

test('a receipt that names no number is for nobody but the device that told it: ids are those of each host', async () => {
  await submit('dev_b', '+4915112345678', '1001')
  await receive('dev_a', '1001', { numbers: ['1234'] })
  await receive('dev_a', '1001', { numbers: [] })
  expect(await statuses()).toEqual(['+4915112345678 sent dev_b'])
})

test('a device that was removed counts in its group while receipts of it may come: nobody else comes in meanwhile', async () => {
  const { db, writer } = house.store
  const retire = (id: string) =>
    writer.write((tx) =>
      tx
        .updateTable('devices')
        .set({ state: 'retired', updated_at: house.clock.now() })
        .where('id', '=', id)
        .execute(),
    )
  for (const id of ['dev_a', 'dev_b']) await retire(id)
  let nowMs = house.clock.now() + 36 * dayMs
  const join = (account_id: string | null) =>
    writer.write((tx) =>
      requireRoomInGroup(tx, { nowMs }, 'grp_a', { id: 'dev_new', account_id, mode: 'live' }),
    )
  await expect(join('acc_other')).rejects.toMatchObject({ code: 'validation_failed' })
  await join(null)
  const members = () => db.selectFrom('devices').select('id').where('group_id', '=', 'grp_a').execute()
  expect(await members()).toHaveLength(2)
  nowMs += 1
  await join('acc_other')
  expect(await members()).toEqual([])
})
