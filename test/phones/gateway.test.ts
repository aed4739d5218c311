import { expect, test } from 'vitest'
import { isPostgres } from '../test-database.ts'
import { cancelMessages } from '../../src/messages/queue/cancel-messages.ts'
import { eventually } from '../eventually.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { openDeskHouse, sayAll } from './gateway-fixture.ts'
import { appWords } from './app-words.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

interface Offer {
  attemptId: string
}

const hourMs = 3_600_000

test('check 8: a phone that asks twice without a word gets the same messages under the same ids', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ to: ['+4915112345601', '+4915112345602'] })
  await eventually(
    () => house.woken,
    (woken) => expect(woken).toEqual([phone.deviceId]),
  )
  const first = await house.pull(phone)
  expect(first.map(({ to }) => to)).toEqual(['+4915112345601', '+4915112345602'])
  house.clock.jumpWallClock(1_000)
  expect((await house.pull(phone)).map(({ attemptId }) => attemptId)).toEqual(
    first.map(({ attemptId }) => attemptId),
  )
  expect(await house.statuses()).toEqual(['sending', 'sending'])
  await expectSums(house.storage.read, house.clock.now())
})

test('check 9: what a phone says to have is offered no more, and is not sent', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  await house.report(phone, ...(await house.pull(phone)).map(sayAll('pending')))
  expect(await house.pull(phone)).toEqual([])
  expect(await house.statuses()).toEqual(['sending'])
  expect(await house.wallet()).toEqual({ reserved: 1, used: 0 })
})

test('a message is charged once it is sent and final once it is delivered, in whatever order its phone says so', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ to: ['+4915112345601', '+4915112345602', '+4915112345603'] })
  const [inOrder, jumped, reversed] = (await house.pull(phone)) as unknown as [
    { attemptId: string },
    { attemptId: string },
    { attemptId: string },
  ]
  await house.report(phone, sayAll('pending')(inOrder))
  await house.report(phone, sayAll('sent')(inOrder))
  expect(await house.wallet()).toEqual({ reserved: 2, used: 1 })
  await house.report(phone, sayAll('delivered')(inOrder), sayAll('delivered')(jumped))
  await house.report(
    phone,
    sayAll('delivered')(reversed),
    sayAll('sent')(reversed),
    sayAll('pending')(reversed),
  )
  await house.report(phone, sayAll('delivered')(reversed))
  expect(await house.statuses()).toEqual(['delivered', 'delivered', 'delivered'])
  expect(await house.wallet()).toEqual({ reserved: 0, used: 3 })
  await expectSums(house.storage.read, house.clock.now())
})

test('a refusal before the radio lets another phone have the message; a failure behind it does not', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  const other = await house.register('2')
  await house.send()
  const [offer] = (await house.pull(phone)) as unknown as [Offer]
  await house.report(phone, sayAll('failed', appWords.radioOff)(offer))
  expect(await house.statuses()).toEqual(['queued'])
  house.clock.jumpWallClock(15_000)
  const [again] = (await house.pull(other)) as unknown as [Offer]
  expect(again.attemptId).not.toBe(offer.attemptId)
  await house.report(other, sayAll('failed', appWords.reported(65))(again))
  expect(await house.messages()).toMatchObject([
    { status: 'undelivered', charged: 1, attempts: 2, error_code: 'network_rejected' },
  ])
  await expectSums(house.storage.read, house.clock.now())
})

test('of a failure the cause is kept, and not the sentence of the phone, in which a number may stand', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = (await house.pull(phone)) as unknown as [Offer]
  await house.report(phone, sayAll('failed', appWords.reported(65))(offer))
  expect(await house.messages()).toMatchObject([
    { status: 'undelivered', error_code: 'network_rejected', network_code: 'tp_status 65' },
  ])
})

test('a text whose first part was delivered and of which another was lost is undelivered, as a correction that costs nothing, and stays so', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ parts: 3 })
  const [offer] = await house.pull(phone)
  await house.report(phone, sayAll('sent')(offer!), sayAll('delivered')(offer!))
  expect(await house.messages()).toMatchObject([{ status: 'delivered', charged: 3, corrected: 0 }])
  await house.report(phone, sayAll('failed', appWords.reported(70))(offer!))
  const undelivered = {
    status: 'undelivered',
    charged: 3,
    corrected: 1,
    error_code: 'expired_in_network',
    network_code: 'tp_status 70',
  }
  expect(await house.messages()).toMatchObject([undelivered])
  // Said again, or out of order: the app itself never goes back from Failed.
  await house.report(phone, sayAll('delivered')(offer!), sayAll('failed', appWords.reported(65))(offer!))
  expect(await house.messages()).toMatchObject([undelivered])
  await expectSums(house.storage.read, house.clock.now())
})

test('what a phone lost that had let a text go says nothing of the phone that took it over', async () => {
  const house = await openDeskHouse()
  const [first, second] = [await house.register('1'), await house.register('2')]
  await house.send({ parts: 3 })
  const [offer] = await house.pull(first)
  await house.report(first, sayAll('canceled')(offer!))
  house.clock.jumpWallClock(60_000)
  const [other] = await house.pull(second)
  await house.report(second, sayAll('sent')(other!), sayAll('delivered')(other!))
  await house.report(first, sayAll('delivered')(offer!))
  await house.report(first, sayAll('failed', appWords.reported(70))(offer!))
  expect(await house.messages()).toMatchObject([{ status: 'delivered', corrected: 0, attempts: 2 }])
})

test('of a text of one part a failure behind its delivery says nothing', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = await house.pull(phone)
  await house.report(phone, sayAll('delivered')(offer!), sayAll('failed', appWords.genericFailure)(offer!))
  expect(await house.messages()).toMatchObject([{ status: 'delivered', corrected: 0 }])
})

test('what a phone has once been given goes to no other phone, whatever time passes, and ends three hours after its validity', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  const other = await house.register('2')
  await house.send({ expiresAt: house.clock.now() + hourMs })
  const [offer] = (await house.pull(phone)) as unknown as [Offer]
  for (const ms of [30 * 60_000, 31 * 60_000, 2 * hourMs]) {
    house.clock.jumpWallClock(ms)
    await house.sweep()
    expect(await house.pull(other)).toEqual([])
  }
  expect(await house.pull(phone)).toEqual([])
  // Its end is looked for a minute early, so that nothing is open then.
  house.clock.jumpWallClock(58 * 60_000 - 1)
  await house.sweep()
  expect(await house.statuses()).toEqual(['sending'])
  house.clock.jumpWallClock(1)
  await house.sweep()
  expect(await house.messages()).toMatchObject([
    { status: 'unconfirmed', charged: 0, error_code: 'device_unresponsive' },
  ])
  await house.report(phone, sayAll('delivered')(offer))
  expect(await house.messages()).toMatchObject([{ status: 'delivered', charged: 0 }])
  await expectSums(house.storage.read, house.clock.now())
})

test('an app that was installed anew keeps its device, its former token is nobody’s, and what it was given before is not offered again', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = (await house.pull(phone)) as unknown as [Offer]
  house.clock.jumpWallClock(60_000)
  const anew = await house.register('1')
  expect(anew.deviceId).toBe(phone.deviceId)
  expect(await house.known(phone.deviceToken)).toBeNull()
  expect(await house.pull(anew)).toEqual([])
  await house.report(anew, sayAll('sent')(offer))
  expect(await house.statuses()).toEqual(['sent'])
})

test('a second phone of the same model and SIM is another device while the first was heard just now, or is connected', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  house.clock.jumpWallClock(59_999)
  expect((await house.register('1')).deviceId).not.toBe(phone.deviceId)
  house.clock.jumpWallClock(1)
  house.connected.add(phone.deviceId)
  expect((await house.register('1')).deviceId).not.toBe(phone.deviceId)
  expect(await house.known(phone.deviceToken)).not.toBeNull()
})

test('a phone of a disabled device is asked to let go of what it has, and then another has it', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  const other = await house.register('2')
  await house.send()
  const [offer] = (await house.pull(phone)) as unknown as [Offer]
  await house.storage.writer.write((tx) =>
    tx.updateTable('devices').set({ state: 'disabled' }).where('id', '=', phone.deviceId).execute(),
  )
  await house.sweep()
  expect(await house.pull(phone)).toMatchObject([{ attemptId: offer.attemptId, state: 'cancelling' }])
  expect(await house.pull(other)).toEqual([])
  await house.report(phone, sayAll('canceled')(offer))
  house.clock.jumpWallClock(1_000)
  expect(await house.pull(other)).toHaveLength(1)
  await expectSums(house.storage.read, house.clock.now())
})

test('check 12: reports of unknown ids, and of another device’s, change nothing', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  const other = await house.register('2')
  await house.send()
  const [offer] = (await house.pull(phone)) as unknown as [Offer]
  await house.report(other, sayAll('delivered')(offer), {
    attemptId: 'att_unknown',
    state: 'sent',
    error: null,
  })
  expect(await house.statuses()).toEqual(['sending'])
})

test('only the first of its repetitions is news, and nothing of what is not the phone’s', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  const other = await house.register('2')
  await house.send()
  const [offer] = await house.pull(phone)
  const failed = sayAll('failed', appWords.radioOff)(offer!)
  const told = { ...failed, deviceId: phone.deviceId, phoneId: phone.phoneId }
  expect(await house.report(other, failed)).toEqual([])
  expect(await house.report(phone, { ...failed, attemptId: 'att_unknown' }, failed, failed)).toEqual([told])
  expect(await house.report(phone, failed, sayAll('pending')(offer!))).toEqual([])
})

test('as many phones are woken as messages wait, in turn, and share what waits when they come', async () => {
  const house = await openDeskHouse()
  const phones = [
    await house.register('1'),
    await house.register('2'),
    await house.register('3'),
    await house.register('4'),
  ]
  await house.send()
  await eventually(
    () => house.woken,
    (woken) => expect(woken).toHaveLength(1),
  )
  expect(await house.pull(phones.find(({ deviceId }) => deviceId === house.woken[0])!)).toHaveLength(1)
  house.woken.length = 0
  house.clock.jumpWallClock(1)
  await house.send({ to: Array.from({ length: 8 }, (_, i) => `+491511234560${i}`) })
  await eventually(
    () => house.woken,
    (woken) => expect(new Set(woken).size).toBe(4),
  )
  const given = await Promise.all(phones.map((phone) => house.pull(phone)))
  const fresh = given.map((offers) => offers.filter(({ isAgain }) => !isAgain).length)
  expect(Math.max(...fresh)).toBe(2)
  // A server on PostgreSQL reads beside what it writes: who comes a moment later finds less there, and the rest when it comes again.
  if (!isPostgres) expect(fresh).toEqual([2, 2, 2, 2])
  for (let round = 0; round < 4; round++) for (const phone of phones) await house.pull(phone)
  const held = await house.storage.read.selectFrom('phone_offers').select('phone_id').execute()
  expect(held).toHaveLength(9)
})

test('a phone never has what must go as UCS-2 although GSM-7 would do: it cannot be told', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ encoding: 'ucs2', encodingForced: true })
  await house.send({ encoding: 'ucs2', to: ['+4915112345601'] })
  await house.dispatcher.drain()
  const offers = await house.pull(phone)
  expect(offers.map(({ to }) => to)).toEqual(['+4915112345601'])
  expect(await house.statuses()).toEqual(['queued', 'sending'])
  await expectSums(house.storage.read, house.clock.now())
})

test('a forced encoding that waits can be canceled and refused as anything else', async () => {
  const house = await openDeskHouse()
  await house.register('1')
  await house.send({ encoding: 'ucs2', encodingForced: true, expiresAt: house.clock.now() + 1_000 })
  const [id] = (await house.storage.read.selectFrom('messages').select('id').execute()).map((row) => row.id)
  const name = { accountId: 'acc_a', mode: 'live', messageId: id! } as const
  await house.storage.writer.write(async (tx) =>
    cancelMessages(tx, await takeChange(tx, house.clock.now()), [name], 'canceled_by_user'),
  )
  expect(await house.statuses()).toEqual(['canceled'])
  await expectSums(house.storage.read, house.clock.now())
})
