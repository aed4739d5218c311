import { expect, test } from 'vitest'
import type { KnownPhone } from '../../src/devices/phones/known-phone.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { cancelMessages } from '../../src/messages/queue/cancel-messages.ts'
import { readMessageDetails } from '../../src/messages/history/message-details.ts'
import { eventually } from '../eventually.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { appWords } from './app-words.ts'
import { type DeskHouse, openDeskHouse, sayAll } from './gateway-fixture.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

async function openTwoPhones() {
  const house = await openDeskHouse()
  const [sick, well] = [await house.register('1'), await house.register('2')]
  await house.storage.writer.write(async (tx) => {
    const unpaced = { parts_per_window: null, window_seconds: null, updated_at: house.clock.now() + 1 }
    await tx.updateTable('devices').set(unpaced).execute()
    await touchDirectory(tx)
  })
  await house.pool.reloadIfChanged()
  return { house, sick, well }
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => `+4915112345${600 + i}`)

/** A phone asks, says to have what it was given, and what came of it. Gives how many that were. */
async function work(
  house: DeskHouse,
  phone: KnownPhone,
  ...words: Parameters<typeof sayAll>
): Promise<number> {
  const page = (await house.pull(phone)).filter(({ isAgain, state }) => !isAgain && state === 'pending')
  await house.report(phone, ...page.map(sayAll('pending')))
  await house.report(phone, ...page.map(sayAll(...words)))
  return page.length
}

const counts = async (house: DeskHouse): Promise<Record<string, number>> => {
  const statuses = Map.groupBy(await house.statuses(), (status) => status)
  return Object.fromEntries([...statuses].map(([status, { length }]) => [status, length]))
}

test('of eighty messages a phone that fails with each and asks three times as often loses five, and the other delivers the rest', async () => {
  const { house, sick, well } = await openTwoPhones()
  await house.send({ to: numbers(80) })
  for (let turn = 0; turn < 40 && ((await counts(house))['queued'] ?? 0) > 0; turn++) {
    for (let asks = 0; asks < 3; asks++) await work(house, sick, 'failed', appWords.genericFailure)
    await work(house, well, 'delivered')
    await house.clock.advance(1_000)
  }
  expect(await counts(house)).toEqual({ unconfirmed: 5, delivered: 75 })
  expect(house.pool.get(sick.deviceId)?.health).toMatchObject({
    status: 'degraded',
    reasons: ['repeated_failures'],
  })
  await expectSums(house.storage.read, house.clock.now())
})

test('of ten messages a phone in flight mode costs none, and none of them two seconds', async () => {
  const { house, sick, well } = await openTwoPhones()
  await house.send({ to: numbers(10) })
  for (let asks = 0; asks < 4; asks++) {
    await work(house, sick, 'failed', appWords.radioOff)
    await work(house, well, 'delivered')
    await house.clock.advance(400)
  }
  expect(await counts(house)).toEqual({ delivered: 10 })
  const messages = await house.messages()
  expect(messages.every(({ device_id }) => device_id === well.deviceId)).toBe(true)
  // Refused once it was, and went on at once: neither a wait nor a count.
  expect(messages.filter(({ attempts }) => attempts === 2)).toHaveLength(5)
  await expectSums(house.storage.read, house.clock.now())
})

test('what a phone has refused wakes the other at once, and the same phone is given it only while no other works', async () => {
  const { house, sick, well } = await openTwoPhones()
  await house.send()
  await house.dispatcher.drain()
  const [offer] = await house.pull(sick)
  house.woken.length = 0
  await house.report(sick, sayAll('failed', appWords.radioOff)(offer!))
  await house.clock.advance(0)
  await house.dispatcher.drain()
  await eventually(
    () => house.woken,
    (woken) => expect(woken).toContain(well.deviceId),
  )
  expect(house.woken).not.toContain(sick.deviceId)
  expect(await house.pull(sick)).toEqual([])
  house.silent.add(well.deviceId)
  expect(await house.pull(sick)).toHaveLength(1)
})

test('what two phones refuse one after the other is tried anew after a while, and not by the one that refused it last', async () => {
  const { house, sick, well } = await openTwoPhones()
  await house.send()
  await work(house, sick, 'failed', appWords.radioOff)
  await work(house, well, 'failed', appWords.radioOff)
  expect(await counts(house)).toEqual({ queued: 1 })
  await house.clock.advance(14_999)
  expect(await house.pull(sick)).toEqual([])
  await house.clock.advance(1)
  await work(house, sick, 'sent')
  expect(await house.messages()).toMatchObject([{ status: 'sent', attempts: 3, device_id: sick.deviceId }])
})

test('a phone that hangs on what it holds keeps five messages, and the other has all that comes', async () => {
  const { house, sick, well } = await openTwoPhones()
  await house.send({ to: numbers(40) })
  for (let asks = 0; asks < 5; asks++) await work(house, sick, 'processed' as 'pending')
  let carried = 0
  for (let asks = 0; asks < 10; asks++) carried += await work(house, well, 'sent')
  expect(carried).toBe(35)
  await house.send({ to: ['+4915112345699'] })
  house.woken.length = 0
  await house.clock.advance(500)
  await house.dispatcher.drain()
  await eventually(
    () => [...new Set(house.woken)],
    (woken) => expect(woken).toEqual([well.deviceId]),
  )
})

test('a phone that another node has heard the end of its five from is full no longer', async () => {
  const { house, sick } = await openTwoPhones()
  await house.send({ to: numbers(40) })
  await work(house, sick, 'pending')
  expect(await house.pull(sick)).toEqual([])
  await house.storage.writer.write((tx) =>
    tx
      .updateTable('attempts')
      .set({ state: 'accepted', ended_at: house.clock.now() })
      .where('ended_at', 'is', null)
      .execute(),
  )
  await house.sweep()
  expect(await house.pull(sick)).toHaveLength(5)
})

test('a lone phone that fails is given one message at a time, and all that waits once it works again', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ to: numbers(20) })
  expect(await work(house, phone, 'failed', appWords.genericFailure)).toBe(20)
  // Twenty it had been given by then: from here on it costs one for each pause, and is given up for a while at the next.
  expect(house.pool.get(phone.deviceId)?.health.status).toBe('offline')
  await house.send({ to: ['+4915112345699'] })
  await house.clock.advance(300_000)
  expect(await work(house, phone, 'sent')).toBe(1)
})

test('a lone phone in flight mode is asked again and again, ever more rarely, and not beside a phone that works', async () => {
  const { house, sick, well } = await openTwoPhones()
  house.silent.add(well.deviceId)
  await house.send({ to: numbers(5) })
  await work(house, sick, 'failed', appWords.radioOff)
  await house.send({ to: ['+4915112345699'] })
  const given: number[] = []
  for (const pauseMs of [9_999, 1]) {
    await house.clock.advance(pauseMs)
    given.push(await work(house, sick, 'failed', appWords.radioOff))
  }
  expect(given).toEqual([0, 1])
  house.silent.delete(well.deviceId)
  await house.clock.advance(120_000)
  expect(await work(house, sick, 'failed', appWords.radioOff)).toBe(0)
  expect(await work(house, well, 'sent')).toBe(6)
})

test('a phone without a SIM is given nothing beside one that has one, and loses no message to tell', async () => {
  const { house, sick, well } = await openTwoPhones()
  const link = house.pool.get(sick.deviceId)!.link
  const said = link.health()
  link.health = () => ({ ...said, status: 'degraded', reasons: ['no_sim'], cannotSend: true })
  await house.send({ to: numbers(3) })
  expect(await work(house, sick, 'failed', appWords.genericFailure)).toBe(0)
  expect(await work(house, well, 'sent')).toBe(3)
})

test('what waits for another phone is found where it stands, to be canceled and to be explained', async () => {
  const { house, sick, well } = await openTwoPhones()
  await house.send({ to: numbers(3) })
  await work(house, sick, 'failed', appWords.radioOff)
  const rows = await house.storage.read
    .selectFrom('messages')
    .select(['id', 'status', 'updated_at'])
    .orderBy('id')
    .execute()
  expect(rows.map(({ status }) => status)).toEqual(['queued', 'queued', 'queued'])
  // The second is refused by the other as well: it stands there with a time of its own.
  const [, offer] = await house.pull(well)
  await house.report(well, sayAll('failed', appWords.radioOff)(offer!))
  const owner = { accountId: 'acc_a', mode: 'live' } as const
  const dueOf = async (i: number) =>
    (await readMessageDetails(house.storage.read, owner, rows[i]!.id))?.dueAtMs
  expect(await dueOf(1)).toBe(house.clock.now() + 15_000)
  await house.storage.writer.write(async (tx) =>
    cancelMessages(
      tx,
      await takeChange(tx, house.clock.now()),
      [{ ...owner, messageId: rows[1]!.id }],
      'canceled_by_user',
    ),
  )
  expect(await house.statuses()).toEqual(['sending', 'canceled', 'sending'])
  await expectSums(house.storage.read, house.clock.now())
})

test('a phone that fails by the word of another node has nothing beside a sound one here, and alone one at a time', async () => {
  const { house, sick, well } = await openTwoPhones()
  const hear = () =>
    house.pool.remoteDeviceReports([
      {
        deviceId: sick.deviceId,
        status: 'degraded',
        isDoubted: true,
        reportedAt: house.clock.now(),
      },
    ])
  hear()
  await house.send({ to: numbers(10) })
  expect(await house.pull(sick)).toEqual([])
  house.silent.add(well.deviceId)
  const [one, ...more] = await house.pull(sick)
  expect(more).toEqual([])
  await house.report(sick, sayAll('pending')(one!))
  expect((await house.pull(sick)).filter(({ isAgain }) => !isAgain)).toEqual([])
  await house.report(sick, sayAll('sent')(one!))
  expect((await house.pull(sick)).filter(({ isAgain }) => !isAgain)).toHaveLength(1)
})
