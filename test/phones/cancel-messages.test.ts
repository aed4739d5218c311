import { expect, test } from 'vitest'
import { cancelMessages } from '../../src/messages/queue/cancel-messages.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { closeOffers } from '../../src/messages/phones/phone-recalls.ts'
import { storeOptOuts } from '../../src/messages/opt-outs/store-opt-outs.ts'
import { type DeskHouse, openDeskHouse } from './gateway-fixture.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

const hourMs = 3_600_000

const cancelAll = async (house: DeskHouse, accountId = 'acc_a') => {
  const rows = await house.storage.read.selectFrom('messages').select('id').orderBy('id').execute()
  const keys = rows.map((row) => ({ accountId, mode: 'live', messageId: row.id }) as const)
  return house.storage.writer.write(async (tx) =>
    cancelMessages(tx, await takeChange(tx, house.clock.now()), keys, 'canceled_by_user'),
  )
}

test('check 21: a message that no phone has fetched is canceled at once, and no phone ever gets it', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  expect(await cancelAll(house)).toMatchObject([{ result: 'canceled', status: 'canceled', deviceId: null }])
  expect(await house.pull(phone)).toEqual([])
  expect(await house.messages()).toMatchObject([{ status: 'canceled', error_code: 'canceled_by_user' }])
  expect(await house.wallet()).toEqual({ reserved: 0, used: 0 })
  await expectSums(house.storage.read, house.clock.now())
})

test('check 21: a message that a phone has fetched is canceled when that phone says so', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = await house.pull(phone)
  expect(await cancelAll(house)).toMatchObject([
    { result: 'asked', status: 'sending', deviceId: phone.deviceId },
  ])
  expect(await house.pull(phone)).toMatchObject([{ attemptId: offer!.attemptId, state: 'cancelling' }])
  await house.report(phone, { attemptId: offer!.attemptId, state: 'canceled', error: null })
  expect(await house.messages()).toMatchObject([{ status: 'canceled', charged: 0 }])
  // That it went all the same, in that very moment, is too late: it was promised that it would not, and is not charged.
  for (const state of ['sent', 'delivered'] as const)
    await house.report(phone, { attemptId: offer!.attemptId, state, error: null })
  expect(await house.messages()).toMatchObject([{ status: 'canceled', charged: 0 }])
  expect(await house.wallet()).toEqual({ reserved: 0, used: 0 })
  await expectSums(house.storage.read, house.clock.now())
})

test('check 21: what its phone sends all the same is sent and charged, whatever was asked', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = await house.pull(phone)
  await cancelAll(house)
  await house.report(phone, { attemptId: offer!.attemptId, state: 'sent', error: null })
  expect(await house.messages()).toMatchObject([{ status: 'sent', charged: 1 }])
  expect(await cancelAll(house)).toMatchObject([{ result: 'too_late', status: 'sent' }])
})

test('a message whose offer a restore has closed is asked back from no phone', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = await house.pull(phone)
  await house.storage.writer.write((tx) => closeOffers(tx, [offer!.attemptId], house.clock.now()))
  expect(await cancelAll(house)).toMatchObject([{ result: 'too_late', status: 'sending', deviceId: null }])
})

test('a phone that never answers keeps its message, which nobody else gets, and which is unconfirmed in the end', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  const other = await house.register('2')
  await house.send({ expiresAt: house.clock.now() + hourMs })
  await house.pull(phone)
  await cancelAll(house)
  house.clock.jumpWallClock(4 * hourMs)
  expect(await house.pull(other)).toEqual([])
  await house.sweep()
  expect(await house.messages()).toMatchObject([{ status: 'unconfirmed', charged: 0 }])
})

test('what the phone has given to its radio is not asked for, and another account’s is not found', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = await house.pull(phone)
  await house.report(phone, { attemptId: offer!.attemptId, state: 'processed', error: null })
  expect(await cancelAll(house)).toMatchObject([{ result: 'too_late', status: 'sending', deviceId: null }])
  expect(await cancelAll(house, 'acc_b')).toMatchObject([{ result: 'not_found', status: null }])
})

test('a message that was to be moved, and is to be canceled since, is canceled', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = await house.pull(phone)
  const off = { state: 'disabled' } as const
  await house.storage.writer.write((tx) => tx.updateTable('devices').set(off).execute())
  await house.sweep()
  await cancelAll(house)
  await house.report(phone, { attemptId: offer!.attemptId, state: 'canceled', error: null })
  expect(await house.statuses()).toEqual(['canceled'])
})

test('once a number has opted out its phone is told to let go of what it has not sent, and is offered nothing more to it', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = await house.pull(phone)
  await house.send()
  const row = await house.storage.read.selectFrom('messages').select('recipient').executeTakeFirstOrThrow()
  const ids = createIds({ now: house.clock.now })
  const asked = {
    accountId: 'acc_a',
    mode: 'live',
    recipients: [row.recipient],
    origin: 'command',
  } as const
  const { canceled } = await house.storage.writer.write(async (tx) =>
    storeOptOuts(tx, { ids, unit: await takeChange(tx, house.clock.now()) }, asked),
  )
  expect(canceled.map(({ result }) => result).toSorted((a, b) => a.localeCompare(b))).toEqual([
    'asked',
    'canceled',
  ])
  await house.send()
  expect(await house.pull(phone)).toMatchObject([{ attemptId: offer!.attemptId, state: 'cancelling' }])
  expect(await house.statuses()).toEqual(['sending', 'canceled', 'canceled'])
  await house.report(phone, { attemptId: offer!.attemptId, state: 'canceled', error: null })
  const why = { status: 'canceled', error_code: 'recipient_opted_out' }
  expect(await house.messages()).toMatchObject([why, why, why])
  await expectSums(house.storage.read, house.clock.now())
})
