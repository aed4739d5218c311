import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { wayId, wayText } from '../../src/devices/routes/way.ts'
import { unusedWayRemover } from '../../src/dispatch/sweepers/unused-ways.ts'
import { readWay } from '../../src/devices/routes/way-words.ts'
import { changeOnDemand } from '../../src/messages/core/change-number.ts'
import { applyToDeferred } from '../../src/messages/queue/apply-ways.ts'
import { dayMs, hourMs } from '../../src/runtime/clock.ts'
import type { JsonText } from '../../src/storage/tables/json-columns.ts'
import type { WayJson } from '../../src/storage/tables/route-tables.ts'
import { eventually } from '../eventually.ts'
import { manyNumbers, openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
  await house.addDevice('dev_s')
})
afterEach(() => house.close())

const written = (text: string) => {
  const way = { stages: readWay(text) }
  return { id: wayId(way), text: wayText(way) }
}
const [own, shared] = [written('own'), written('shared')]

const sendOver = (way: typeof own, more: Parameters<TendedHouse['send']>[0] = {}) =>
  house.send({ recipients: [{ to: '+4915112345678', country: 'DE', way: way.id }], ways: [way], ...more })

/** Removes as retention does, without its rest. */
const remove = async (): Promise<void> => {
  const remover = unusedWayRemover({ ...house.storage, clock: house.clock })
  while (await remover());
}
const ways = async () =>
  (await house.storage.read.selectFrom('ways').select('id').orderBy('id').execute()).map(({ id }) => id)

/** Removes all messages but the youngest ones. */
const removeMessages = (keep = 0): Promise<unknown> =>
  house.storage.writer.write(async (tx) => {
    const all = await tx.selectFrom('messages').select('id').orderBy('id').execute()
    const ids = all.slice(0, all.length - keep).map(({ id }) => id)
    await tx.deleteFrom('queue').where('message_id', 'in', ids).execute()
    await tx.deleteFrom('deferred').where('message_id', 'in', ids).execute()
    await tx.deleteFrom('messages').where('id', 'in', ids).execute()
  })

test('a way goes with the last of its messages, and not before', async () => {
  await sendOver(own)
  house.passDays(40)
  await sendOver(shared)
  await remove()
  expect(await ways()).toEqual([own.id, shared.id].toSorted())
  await removeMessages(1)
  await remove()
  expect(await ways()).toEqual([shared.id])
  house.passDays(2)
  await house.send()
  await removeMessages(1)
  await remove()
  expect(await ways()).toEqual([])
})

test('retention removes ways with their messages, an hour later at most', async () => {
  const { retention } = house.janitors()
  await house.setDevices({ delay_ms: '0' })
  await sendOver(shared)
  await house.dispatcher.drain()
  await house.clock.advance(1)
  await eventually(() => house.statuses(), (statuses) => expect(statuses).toEqual(['delivered'])) // prettier-ignore
  house.passDays(80)
  await house.send()
  await retention.sweepAll()
  expect(await ways()).toEqual([shared.id])
  house.passDays(20)
  await retention.sweepAll()
  expect(await house.countOf('messages')).toBe(1)
  await house.clock.advance(hourMs)
  await retention.sweepAll()
  expect(await ways()).toEqual([])
})

test('a way that is used day by day stays as long as any of its messages, and is written once a day', async () => {
  await sendOver(own)
  const usedAt = () => house.storage.read.selectFrom('ways').select('used_at').executeTakeFirstOrThrow()
  const first = await usedAt()
  house.clock.jumpWallClock(dayMs / 2)
  await sendOver(own)
  expect(await usedAt()).toEqual(first)
  house.passDays(30)
  await sendOver(own)
  expect((await usedAt()).used_at).toBeGreaterThan((first.used_at ?? 0) + 30 * dayMs)
  await removeMessages(1)
  await remove()
  expect(await ways()).toEqual([own.id])
})

test('of messages whose clock stood a year ahead the ways stay', async () => {
  house.passDays(365)
  await house.send()
  house.passDays(-365)
  await sendOver(own)
  await removeMessages(1)
  await remove()
  expect(await ways()).toEqual([own.id])
})

test('a scheduled message that is moved to a way keeps it, however old the last use is', async () => {
  await sendOver(shared)
  await sendOver(own, { sendAt: house.clock.now() + 29 * dayMs, expiresAt: house.clock.now() + 30 * dayMs })
  await removeMessages(1)
  house.passDays(20)
  await house.storage.writer.write((tx) =>
    applyToDeferred(tx, {
      accountId: 'acc_a',
      mode: 'live',
      afterId: '',
      resolve: () => ({ name: shared.id, written: shared }),
      take: changeOnDemand(tx, house.clock.now()),
    }),
  )
  await remove()
  expect(await ways()).toContain(shared.id)
  house.passDays(5)
  await house.send()
  await remove()
  expect(await ways()).toContain(shared.id)
})

test('a message that gets the way between the look and the removal keeps it, and one after the removal brings it back', async () => {
  await sendOver(own)
  await removeMessages()
  house.passDays(3)
  await house.send()
  const { writer } = house.storage
  const write = writer.write.bind(writer)
  const spy = vi.spyOn(writer, 'write').mockImplementation(async (...given) => {
    spy.mockRestore()
    await sendOver(own)
    return write(...given)
  })
  await remove()
  expect(await ways()).toEqual([own.id])
  await removeMessages()
  house.passDays(3)
  await house.send()
  await remove()
  expect(await ways()).toEqual([])
  await sendOver(own)
  expect(await ways()).toEqual([own.id])
})

test('a way that a node of the version before stored stays until a use of it is noted, for its messages note none', async () => {
  const { stages, created_at } = { stages: own.text as JsonText<WayJson>, created_at: house.clock.now() }
  await house.storage.writer.write((tx) =>
    tx.insertInto('ways').values({ id: own.id, stages, created_at }).onConflict((each) => each.doNothing()).execute(),
  ) // prettier-ignore
  house.passDays(40)
  await house.send()
  await remove()
  expect(await ways()).toEqual([own.id])
  await sendOver(own)
  await removeMessages()
  house.passDays(3)
  await house.send()
  await remove()
  expect(await ways()).toEqual([])
})

test('a removal reads the first message of each wallet, and ways by their last use', async () => {
  await house.send({ to: manyNumbers(600) })
  await sendOver(own)
  await house.storage.writer.write((tx) => analyse(tx))
  const statements = await statementsOf(house.storage.read, remove)
  const steps = await stepsOf(house.dataFolder, ...statements)
  expect(steps.filter((step) => /\bm\b|messages/.test(step))).toEqual([
    expect.stringMatching(isPostgres ? /messages_pkey/ : /^SEARCH m USING .*\(account_id=\? AND mode=\?\)/),
  ])
})
