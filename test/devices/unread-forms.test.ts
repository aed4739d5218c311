import { afterEach, beforeEach, expect, test } from 'vitest'
import { listUnread, maxForms, recordUnread, type UnreadForm } from '../../src/devices/status/unread-forms.ts'
import { UnparsedNotes } from '../../src/dispatch/devices/unparsed-notes.ts'
import { createUnreadKeeper } from '../../src/dispatch/sweepers/unread-keeper.ts'
import { createLog } from '../../src/process/log.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'

const log = createLog('silent', { write: () => undefined })
let house: MessagesFixture
beforeEach(async () => {
  house = await openMessagesFixture()
  for (const id of ['dev_a', 'dev_b']) await house.addDevice(id)
})
afterEach(() => house.close())

const form = (more: Partial<UnreadForm>): UnreadForm => ({
  deviceId: 'dev_a',
  kind: 'word',
  form: 'BARRED',
  times: 1,
  firstAt: 1_000,
  lastAt: 1_000,
  ...more,
})
const record = (...forms: UnreadForm[]) => house.storage.writer.write((tx) => recordUnread(tx, forms))
const listed = (deviceId: string) => listUnread(house.storage.read, deviceId)

test('each form is listed once, with how often it came and when first and last, the latest first', async () => {
  await record(
    form({ times: 2, firstAt: 1_000, lastAt: 3_000 }),
    form({ kind: 'pdu', form: 'cut', lastAt: 2_000 }),
  )
  await record(form({ times: 3, firstAt: 4_000, lastAt: 5_000 }), form({ deviceId: 'dev_b' }))
  expect(await listed('dev_a')).toEqual([
    form({ times: 5, firstAt: 1_000, lastAt: 5_000 }),
    form({ kind: 'pdu', form: 'cut', lastAt: 2_000 }),
  ])
  expect(await listed('dev_b')).toEqual([form({ deviceId: 'dev_b' })])
})

test('what a device that sends ever new forms adds beyond fifty is counted together', async () => {
  await record(...Array.from({ length: 200 }, (_, i) => form({ form: `a${i}` })))
  await record(form({ form: 'a0' }), form({ form: 'a199' }))
  const forms = await listed('dev_a')
  expect(forms).toHaveLength(maxForms + 1)
  expect(forms.find((each) => each.form === 'other forms')?.times).toBe(151)
  expect(forms.find((each) => each.form === 'a0')?.times).toBe(2)
})

test('what is told of a device that is not there is dropped', async () => {
  await record(form({ deviceId: 'dev_gone' }))
  expect(await listed('dev_gone')).toEqual([])
})

test('what was noted is written down each ten seconds, and a time that fails loses nothing', async () => {
  const counted: string[] = []
  const notes = new UnparsedNotes(house.clock, (deviceId, kind) => void counted.push(`${deviceId} ${kind}`))
  const { writer } = house.storage
  let fails = true
  const write: Writer['write'] = (unit) => (fails ? Promise.reject(new Error('full')) : writer.write(unit))
  const keeper = createUnreadKeeper({
    ...house,
    log,
    unparsed: notes,
    writer: { ...writer, write } as Writer,
  })
  await keeper.start()
  notes.note('dev_a', 'event', 'mms:received')
  await house.clock.advance(10_000)
  notes.note('dev_a', 'event', 'mms:received')
  notes.note('dev_a', 'message', '')
  notes.note('dev_a', 'receipt', '\0a\0é😀')
  fails = false
  await house.clock.advance(10_000)
  await writer.drain()
  expect((await listed('dev_a')).map(({ kind, form: of, times }) => [kind, of, times])).toEqual([
    ['event', 'mms:received', 2],
    ['message', 'not told', 1],
    ['receipt', '?a????', 1],
  ])
  expect(counted).toEqual(['dev_a event', 'dev_a event', 'dev_a message', 'dev_a receipt'])
  await keeper.stop()
})

test('between two times no more forms are held than there is room for, and each is counted all the same', () => {
  const notes = new UnparsedNotes(house.clock)
  for (let i = 0; i < 5_000; i++) notes.note('dev_a', 'word', `a${i}`)
  const held = notes.take()
  expect(held.length).toBeLessThanOrEqual(1_001)
  expect(held.reduce((sum, { times }) => sum + times, 0)).toBe(5_000)
  expect(notes.take()).toEqual([])
})
