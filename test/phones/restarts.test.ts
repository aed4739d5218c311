import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createReceiptExpirer } from '../../src/dispatch/sweepers/receipt-expirer.ts'
import { createRescuer } from '../../src/dispatch/sweepers/rescuer.ts'
import { createLog } from '../../src/process/log.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { advanceEpoch } from '../../src/storage/instance/epoch.ts'
import { epochFile } from '../../src/storage/instance/epoch-file.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { type DeskHouse, openDeskHouse } from './gateway-fixture.ts'
import { appWords } from './app-words.ts'

const hourMs = 3_600_000

/** What a later process does before it claims anything. */
const begin = (house: DeskHouse): Promise<void> =>
  createRescuer({
    ...house,
    read: house.storage.read,
    writer: house.storage.writer,
    log: createLog('silent', { write: () => undefined }),
    fence: 2,
  }).sweepAll()

/** What the start behind a restore does: its file is ahead of the database. */
async function holdAll(house: DeskHouse): Promise<void> {
  await writeFile(epochFile(house.dataFolder), '5\n')
  await advanceEpoch(house.storage, house.dataFolder, house.clock.now())
}

test('check 26: a restart changes nothing for what phones hold: it is offered again and ends by its phone’s words', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [before] = await house.pull(phone)
  await begin(house)
  house.restart()
  const [after] = await house.pull(phone)
  expect(after?.attemptId).toBe(before!.attemptId)
  await house.report(phone, { attemptId: before!.attemptId, state: 'sent', error: null })
  expect(await house.statuses()).toEqual(['sent'])
})

test('what a restore holds back is offered to no phone, and goes again on nobody’s word', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  const other = await house.register('2')
  await house.send()
  const [offer] = await house.pull(phone)
  await holdAll(house)
  await begin(house)
  expect(await house.messages()).toMatchObject([{ status: 'unconfirmed', charged: 0 }])
  expect(await house.pull(phone)).toEqual([])
  await house.report(phone, { attemptId: offer!.attemptId, state: 'failed', error: appWords.radioOff })
  house.clock.jumpWallClock(60_000)
  expect(await house.pull(other)).toEqual([])
  await expectSums(house.storage.read, house.clock.now())
})

test('a late word of a phone corrects what a restore has left unconfirmed', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = await house.pull(phone)
  await holdAll(house)
  await begin(house)
  await house.report(phone, { attemptId: offer!.attemptId, state: 'delivered', error: null })
  expect(await house.messages()).toMatchObject([{ status: 'delivered', charged: 0 }])
  await expectSums(house.storage.read, house.clock.now())
})

test('an offer is forgotten when its phone can correct nothing any more, and not before its receipt may come', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = await house.pull(phone)
  await house.report(phone, { attemptId: offer!.attemptId, state: 'sent', error: null })
  const closer = createReceiptExpirer({
    ...house,
    read: house.storage.read,
    writer: house.storage.writer,
    log: createLog('silent', { write: () => undefined }),
    receiptWindowMs: 72 * hourMs,
    correctionDays: 1,
    unmatchedMs: 72 * hourMs,
    maxUnmatched: 1_000,
  })
  house.clock.jumpWallClock(95 * hourMs)
  await closer.sweepAll()
  await house.report(phone, { attemptId: offer!.attemptId, state: 'delivered', error: null })
  expect(await house.statuses()).toEqual(['delivered'])
  house.clock.jumpWallClock(hourMs)
  await closer.sweepAll()
  expect(await house.storage.read.selectFrom('phone_offers').select('attempt_id').execute()).toEqual([])
  await expectSums(house.storage.read, house.clock.now())
})

test('what waits when the wall clock steps back is fetched at once, and back-offs last as long as they should', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  house.clock.jumpWallClock(-hourMs)
  const [offer] = await house.pull(phone)
  await house.report(phone, { attemptId: offer!.attemptId, state: 'failed', error: appWords.radioOff })
  await house.clock.advance(14_000)
  expect(await house.pull(phone)).toEqual([])
  await house.clock.advance(1_000)
  expect(await house.pull(phone)).toHaveLength(1)
})

test('a phone of a disabled device is told nothing but what to let go', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  const [offer] = await house.pull(phone)
  const off = { state: 'disabled', updated_at: house.clock.now() + 1 } as const
  await house.storage.writer.write(async (tx) => {
    await tx.updateTable('devices').set(off).execute()
    await touchDirectory(tx)
  })
  await house.pool.reloadIfChanged()
  expect(await house.pull(phone)).toEqual([])
  await house.sweep()
  expect(await house.pull(phone)).toMatchObject([{ attemptId: offer!.attemptId, state: 'cancelling' }])
})
