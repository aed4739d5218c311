import { expect, test } from 'vitest'
import { cancelBeforeClosing } from '../../src/messages/account-state/cancel-before-closing.ts'
import { readOrphans } from '../../src/messages/outcomes/open-claims.ts'
import { touchOffers } from '../../src/messages/phones/read-offers.ts'
import { closeOffers, recall } from '../../src/messages/phones/phone-recalls.ts'
import { joinNodes } from '../../src/storage/instance/nodes.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { type DeskHouse, openDeskHouse } from './gateway-fixture.ts'
import { appWords } from './app-words.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

const minuteMs = 60_000
type State = 'pending' | 'processed' | 'sent' | 'delivered' | 'failed' | 'canceled'
const saying =
  (state: State, error: string | null = null) =>
  ({ attemptId }: { attemptId: string }) => ({ attemptId, state, error })
const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `+491511234${String(i).padStart(4, '0')}`)
const recallAll = (house: DeskHouse, offers: readonly { attemptId: string }[], why: 'cancel' | 'move') =>
  house.storage.writer.write((tx) =>
    recall(
      tx,
      offers.map(({ attemptId }) => attemptId),
      why,
      house.clock.now(),
    ),
  )

test('what is to be canceled, and failed before the radio instead, is canceled and goes to nobody else', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const offers = await house.pull(phone)
  await recallAll(house, offers, 'cancel')
  await house.report(phone, ...offers.map(saying('failed', appWords.radioOff)))
  expect(await house.messages()).toMatchObject([
    { status: 'canceled', charged: 0, error_code: 'canceled_by_user' },
  ])
  expect(await house.wallet()).toEqual({ reserved: 0, used: 0 })
  await expectSums(house.storage.read, house.clock.now())
})

test('what a person cancels while its device is being disabled stays canceled', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const offers = await house.pull(phone)
  await recallAll(house, offers, 'cancel')
  // The closer had read the offer before, and writes behind the person.
  await recallAll(house, offers, 'move')
  await house.report(phone, ...offers.map(saying('canceled')))
  expect(await house.messages()).toMatchObject([{ status: 'canceled', error_code: 'canceled_by_user' }])
})

test.for(['before', 'behind'] as const)(
  'a wish that is stored %s the mark of a fetch which began before it is told by the next one',
  async (order) => {
    const house = await openDeskHouse()
    const phone = await house.register('1')
    await house.send()
    const offers = await house.pull(phone)
    const wishedAtMs = house.clock.now() + 1
    const wish = () =>
      house.storage.writer.write((tx) =>
        recall(
          tx,
          offers.map(({ attemptId }) => attemptId),
          'cancel',
          wishedAtMs,
        ),
      )
    const mark = () => house.storage.writer.write((tx) => touchOffers(tx, offers, wishedAtMs + 1))
    for (const store of order === 'before' ? [wish, mark] : [mark, wish]) await store()
    house.clock.jumpWallClock(10)
    expect(await house.pull(phone)).toMatchObject([{ state: 'cancelling' }])
  },
)

test('what a fetch brings for the first time is marked by no write of its own', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ to: numbers(3) })
  expect((await house.pull(phone)).map(({ isAgain }) => isAgain)).toEqual([false, false, false])
  house.clock.jumpWallClock(1)
  expect((await house.pull(phone)).map(({ isAgain }) => isAgain)).toEqual([true, true, true])
})

test('recalls that a phone does not answer keep nothing new from it', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ to: numbers(20) })
  await recallAll(house, await house.pull(phone), 'cancel')
  await house.send({ to: ['+4915112349999'] })
  house.clock.jumpWallClock(minuteMs)
  expect((await house.pull(phone)).map(({ to }) => to)).toContain('+4915112349999')
})

test.for([
  ['whose validity has ended', 2 * minuteMs, 3 * minuteMs],
  ['offered longer ago than it is told again', 24 * 60 * minuteMs, 13 * 60 * minuteMs],
] as const)(
  'messages %s, never acknowledged, keep nothing new from a phone',
  async ([, validMs, laterMs]) => {
    const house = await openDeskHouse()
    const phone = await house.register('1')
    await house.send({ to: numbers(20), expiresAt: house.clock.now() + validMs })
    expect(await house.pull(phone)).toHaveLength(20)
    house.clock.jumpWallClock(laterMs)
    await house.send({ to: ['+4915112349999'] })
    expect((await house.pull(phone)).map(({ to }) => to)).toEqual(['+4915112349999'])
  },
)

test('a recall is told at the next pull, and again only after a while', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const offers = await house.pull(phone)
  await house.report(phone, ...offers.map(saying('pending')))
  house.clock.jumpWallClock(1_000)
  await recallAll(house, offers, 'cancel')
  house.clock.jumpWallClock(1_000)
  expect(await house.pull(phone)).toMatchObject([{ state: 'cancelling' }])
  house.clock.jumpWallClock(1_000)
  expect(await house.pull(phone)).toEqual([])
  house.clock.jumpWallClock(10 * minuteMs)
  expect(await house.pull(phone)).toMatchObject([{ state: 'cancelling' }])
})

test('messages that hang are asked after, behind what the phone has not had', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ to: numbers(20) })
  const hanging = await house.pull(phone)
  await house.report(phone, ...hanging.map(saying('processed')))
  house.clock.jumpWallClock(11 * minuteMs)
  await house.send({ to: ['+4915112349999'] })
  expect((await house.pull(phone)).map(({ to }) => to)[0]).toBe('+4915112349999')
})

test('nothing is offered that has ended meanwhile', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  await house.pull(phone)
  const nowMs = house.clock.now()
  const ended = {
    status: 'delivered',
    cost_state: 'charged',
    charged: 1,
    finalized_at: nowMs,
    settled_at: nowMs,
  } as const
  await house.storage.writer.write((tx) => tx.updateTable('messages').set(ended).execute())
  house.clock.jumpWallClock(1_000)
  expect(await house.pull(phone)).toEqual([])
})

test('what a phone let go of and had sent all the same is sent, and goes to nobody else while it still waits', async () => {
  const house = await openDeskHouse()
  const [phone, other] = [await house.register('1'), await house.register('2')]
  await house.send({ to: numbers(2) })
  // Its half, and then what the other has left.
  await house.pull(phone)
  const offers = await house.pull(phone)
  await recallAll(house, offers, 'move')
  await house.report(phone, ...offers.map(saying('canceled')))
  expect(await house.statuses()).toEqual(['queued', 'queued'])
  await house.report(phone, ...offers.map(saying('sent')), ...offers.map(saying('canceled')))
  expect(await house.messages()).toMatchObject([
    { status: 'sent', charged: 1 },
    { status: 'sent', charged: 1 },
  ])
  await house.clock.advance(minuteMs)
  expect(await house.pull(other)).toEqual([])
  await expectSums(house.storage.read, house.clock.now())
})

test.for([
  ['canceled', null, 'sent'],
  ['failed', appWords.radioOff, 'delivered'],
] as const)(
  'what a phone calls %s (%s) and %s in one breath waits no more, and fails no claim',
  async ([first, why, then]) => {
    const house = await openDeskHouse()
    const phone = await house.register('1')
    await house.send()
    const offers = await house.pull(phone)
    await house.report(phone, ...offers.map(saying(first, why)), ...offers.map(saying(then)))
    expect(await house.messages()).toMatchObject([{ status: then, charged: 1 }])
    expect(await house.storage.read.selectFrom('queue').selectAll().execute()).toEqual([])
    await expectSums(house.storage.read, house.clock.now())
    await house.clock.advance(2 * minuteMs)
    await house.send({ to: ['+4915112349999'] })
    expect((await house.pull(phone)).map(({ to }) => to)).toEqual(['+4915112349999'])
  },
)

test('of a closed account too, the last word of one breath counts', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const offers = await house.pull(phone)
  await house.storage.writer.write((tx) => tx.updateTable('accounts').set({ state: 'closed' }).execute())
  await house.report(phone, ...offers.map(saying('canceled')), ...offers.map(saying('sent')))
  expect(await house.messages()).toMatchObject([{ status: 'sent', charged: 1 }])
})

test('what a phone has given to its radio it cannot let go of, whatever it says', async () => {
  const house = await openDeskHouse()
  const [phone, other] = [await house.register('1'), await house.register('2')]
  await house.send()
  const offers = await house.pull(phone)
  await house.report(phone, ...offers.map(saying('processed')))
  await recallAll(house, offers, 'move')
  await house.report(phone, ...offers.map(saying('canceled')))
  expect(await house.statuses()).toEqual(['sending'])
  await house.clock.advance(minuteMs)
  expect(await house.pull(other)).toEqual([])
  await house.report(phone, ...offers.map(saying('sent')))
  expect(await house.statuses()).toEqual(['sent'])
})

test('a message that a phone calls expired is so when its validity has ended, and else goes again', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ expiresAt: house.clock.now() + 2 * minuteMs })
  await house.report(phone, ...(await house.pull(phone)).map(saying('failed', 'TTL expired')))
  expect(await house.messages()).toMatchObject([{ status: 'queued', charged: 0 }])
  await house.clock.advance(15_000)
  const again = await house.pull(phone)
  expect(again).toHaveLength(1)
  house.clock.jumpWallClock(2 * minuteMs)
  await house.report(phone, ...again.map(saying('failed', 'TTL expired')))
  expect(await house.messages()).toMatchObject([{ status: 'expired', charged: 0 }])
  await expectSums(house.storage.read, house.clock.now())
})

test('a phone that lets go of what nobody wanted back gets it three times and no more', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  for (const waitMs of [15_000, 60_000, 60_000]) {
    await house.report(phone, ...(await house.pull(phone)).map(saying('canceled')))
    await house.clock.advance(waitMs)
  }
  expect(await house.messages()).toMatchObject([
    { status: 'failed', charged: 0, attempts: 3, error_code: 'device_error' },
  ])
  await expectSums(house.storage.read, house.clock.now())
})

test('what a shared phone holds of an account that is closed it is asked to let go, and nobody else has it then', async () => {
  const house = await openDeskHouse()
  const [phone, other] = [await house.register('1'), await house.register('2')]
  await house.send({ to: numbers(2) })
  await house.pull(phone)
  const offers = await house.pull(phone)
  await house.storage.writer.write(async (tx) => {
    await tx.updateTable('accounts').set({ state: 'closed' }).where('id', '=', 'acc_a').execute()
    await cancelBeforeClosing(tx, await takeChange(tx, house.clock.now()), 'acc_a')
  })
  await house.sweep()
  expect(house.recalled.toSorted()).toEqual(offers.map(({ attemptId }) => attemptId).toSorted())
  expect((await house.pull(phone)).map(({ state }) => state)).toEqual(['cancelling', 'cancelling'])
  const [first, second] = offers as unknown as [{ attemptId: string }, { attemptId: string }]
  await house.report(phone, saying('canceled')(first), saying('sent')(second))
  expect(await house.messages()).toMatchObject([
    { status: 'canceled', charged: 0, error_code: 'account_closed' },
    { status: 'sent', charged: 1 },
  ])
  await house.clock.advance(minuteMs)
  expect(await house.pull(other)).toEqual([])
  await expectSums(house.storage.read, house.clock.now())
})

test('what a restore no longer asks a phone for is ended as unknown, though the node that offered it lives', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ to: numbers(2) })
  const offers = await house.pull(phone)
  expect(offers).toHaveLength(2)
  await house.storage.writer.write(async (tx) => {
    const node = { epoch: 1, name: 'n1', before: null, isAlone: false, tidies: true }
    await joinNodes(tx, house.clock, node)
    await joinNodes(tx, house.clock, { ...node, epoch: 2, name: 'n2' })
  })
  const orphans = () => readOrphans(house.storage.read, { fence: 2, most: 10 })
  expect(await orphans()).toEqual([])
  await house.storage.writer.write((tx) => closeOffers(tx, [offers[0]!.attemptId], house.clock.now()))
  expect((await orphans()).map(({ attemptId }) => attemptId)).toEqual([offers[0]!.attemptId])
})
