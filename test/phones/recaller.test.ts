import { expect, test, vi } from 'vitest'
import { readRecalled, recall } from '../../src/messages/phones/phone-recalls.ts'
import type { Pull } from '../../src/connectors/connector.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { openDeskHouse } from './gateway-fixture.ts'

test('a phone is told once what it is to let go of, those of one millisecond too', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  for (let n = 0; n < 3; n++) await house.send()
  const [first, second, third] = (await house.pull(phone)).map(({ attemptId }) => attemptId)
  const wish = (attemptId: string) =>
    house.storage.writer.write((tx) => recall(tx, [attemptId], 'cancel', house.clock.now()))
  await wish(second!)
  await house.sweep()
  expect(house.recalled).toEqual([second])
  // In the same millisecond, and before the other in the order of ids.
  await wish(first!)
  await house.sweep()
  await house.sweep()
  expect(house.recalled).toEqual([second, first])
  await house.clock.advance(1_000)
  await wish(third!)
  await house.sweep()
  expect(house.recalled).toEqual([second, first, third])
})

test('a wish is told whenever it is stored, also behind a later one and after the clock was set back', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  for (let n = 0; n < 3; n++) await house.send()
  const [first, second, third] = (await house.pull(phone)).map(({ attemptId }) => attemptId)
  const wish = (attemptId: string, atMs: number) =>
    house.storage.writer.write((tx) => recall(tx, [attemptId], 'cancel', atMs))
  await wish(first!, house.clock.now())
  await house.sweep()
  // Another process had looked at its clock before, and waited for its turn to write.
  await wish(second!, house.clock.now() - 500)
  await house.sweep()
  expect(house.recalled).toEqual([first, second])
  house.clock.jumpWallClock(-3_600_000)
  await wish(third!, house.clock.now())
  await house.sweep()
  expect(house.recalled).toContain(third)
})

test('what was told long ago is not read again and again', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = await house.pull(phone)
  await house.storage.writer.write((tx) => recall(tx, [offer!.attemptId], 'cancel', house.clock.now()))
  await house.sweep()
  await house.clock.advance(120_000)
  await house.sweep()
  const before = await readRecalled(house.storage.read, { recalledAt: 0, attemptId: '' }, 10)
  expect(before).toHaveLength(1)
  const executed = vi.spyOn(house.storage.read.getExecutor(), 'executeQuery')
  await house.sweep()
  const answers = await Promise.all(
    executed.mock.results.map(({ value }) => value as Promise<{ rows: object[] }>),
  )
  expect(answers.flatMap(({ rows }) => rows).filter((row) => 'recalled_at' in row)).toEqual([])
  expect(house.recalled).toEqual([offer!.attemptId])
})

test('many wishes of one moment are all told', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = await house.pull(phone)
  const row = await house.storage.read.selectFrom('phone_offers').selectAll().executeTakeFirstOrThrow()
  const many = Array.from({ length: 1_200 }, (_, i) => ({
    ...row,
    attempt_id: `${offer!.attemptId}_${i}`,
    recall: 'move' as const,
    recalled_at: 7,
  }))
  await house.storage.writer.write(async (tx) => {
    for (let at = 0; at < many.length; at += 400)
      await tx
        .insertInto('phone_offers')
        .values(many.slice(at, at + 400))
        .execute()
  })
  await house.sweep()
  expect(new Set(house.recalled).size).toBe(1_200)
  expect(house.recalled).toHaveLength(1_200)
})

test('what is recalled is found by its index, in its order', async () => {
  const house = await openDeskHouse()
  const [statement] = await statementsOf(house.storage.read, () =>
    readRecalled(house.storage.read, { recalledAt: 1, attemptId: 'a' }, 500),
  )
  expect(await stepsOf(house.dataFolder, statement!)).toEqual([
    isPostgres
      ? 'SEARCH phone_offers BY phone_offers_recalled (recalled_at>=)'
      : 'SEARCH phone_offers USING INDEX phone_offers_recalled (recalled_at>?)',
  ])
})

test('a phone whose device is disabled is told at once too, while its stream is open, and is the same one when enabled again', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  for (let n = 0; n < 3; n++) await house.send()
  const [first, second, third] = (await house.pull(phone)).map(({ attemptId }) => attemptId)
  const link = house.pool.get(phone.deviceId)!.link
  const rest = vi.spyOn(link as Pull, 'rest')
  const become = async (state: 'disabled' | 'enabled' | 'retired') => {
    await house.clock.advance(1)
    await house.storage.writer.write(async (tx) => {
      await tx
        .updateTable('devices')
        .set({ state, updated_at: house.clock.now() })
        .where('id', '=', phone.deviceId)
        .execute()
      await touchDirectory(tx)
    })
    await house.pool.reloadIfChanged()
  }
  const wish = (attemptId: string) =>
    house.storage.writer.write((tx) => recall(tx, [attemptId], 'cancel', house.clock.now()))
  await become('disabled')
  expect(house.pool.all).toEqual([])
  expect(house.pool.forAccount('acc_a', 'live')).toEqual([])
  await wish(first!)
  await house.sweep()
  expect(house.recalled).toContain(first)
  await become('enabled')
  expect(house.pool.get(phone.deviceId)?.link).toBe(link)
  expect(rest.mock.calls).toEqual([[true], [false]])
  await wish(second!)
  await house.sweep()
  expect(house.recalled).toContain(second)
  const stop = vi.spyOn(link, 'stop')
  await become('disabled')
  await become('retired')
  expect(stop).toHaveBeenCalledOnce()
  house.recalled.length = 0
  await wish(third!)
  await house.sweep()
  expect(house.recalled).toEqual([])
})
