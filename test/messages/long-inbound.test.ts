import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type InboundHouse, joinMs, openInboundHouse, removeAll } from './inbound-house.ts'

let house: InboundHouse
beforeEach(async () => {
  house = await openInboundHouse()
})
afterEach(() => house.close())

const whole = 'part 1. part 2. part 3. '

test('pieces in any order, with repeats among them, become one message when the last is there', async () => {
  const comings = fc.shuffledSubarray([1, 2, 3, 4, 5], { minLength: 5 })
  await fc.assert(
    fc.asyncProperty(comings, fc.array(fc.integer({ min: 1, max: 5 })), async (order, repeats) => {
      await house.store.writer.write(removeAll)
      const indices = [...order]
      for (const index of repeats) indices.splice(indices.indexOf(index) + 1, 0, index)
      for (const index of indices) await house.receive({ index, total: 5 })
      expect(await house.texts()).toEqual(['part 1. part 2. part 3. part 4. part 5. '])
    }),
    { numRuns: 40 },
  )
})

test('a message of three pieces is one row and one event', async () => {
  const nowMs = house.clock.now()
  await house.store.writer.write(async (tx) => {
    await insertRows(tx, 'accounts', [
      { id: 'acc_a', name: 'A', state: 'active', created_at: nowMs, updated_at: nowMs },
    ])
    await insertRows(tx, 'webhook_endpoints', [{ account_id: 'acc_a', id: 'whk_a', url: 'https://example.com/', state: 'enabled', secret: 'sealed', created_at: nowMs, updated_at: nowMs }]) // prettier-ignore
  })
  for (const index of [3, 1, 1, 2, 3]) await house.receive({ index })
  const rows = await house.store.read.selectFrom('messages').select(['id', 'status', 'cost_state']).execute()
  expect(rows).toMatchObject([{ status: 'received', cost_state: 'none' }])
  const events = house.store.read.selectFrom('webhook_events').select(['type', 'message_id', 'sequence'])
  expect(await events.execute()).toEqual([{ type: 'message.received', message_id: rows[0]!.id, sequence: 1 }])
})

test('the message is measured as a whole, and comes from where its pieces came', async () => {
  for (const index of [2, 1]) await house.receive({ index, total: 2, text: 'x'.repeat(153) })
  const row = await house.store.read.selectFrom('messages').selectAll().executeTakeFirstOrThrow()
  expect(row).toMatchObject({
    direction: 'inbound',
    status: 'received',
    account_id: 'acc_a',
    sender: '+4915112345678',
    recipient: '+15005550006',
    country: 'DE',
    encoding: 'gsm7',
    units: 306,
    parts: 2,
    device_id: 'dev_s',
    cost_state: 'none',
  })
})

test('beyond what is kept of a text it is cut, joined or whole', async () => {
  house.bound({ inboundCharacters: 1_000 })
  for (const index of [1, 2, 3]) await house.receive({ index, text: 'x'.repeat(400) })
  await house.receiver.receive('dev_s', {
    from: '+491511',
    to: null,
    text: 'y'.repeat(1_001),
    networkAt: 0,
    inReplyTo: null,
    fingerprint: 'long',
  })
  expect(await house.texts()).toEqual(['x'.repeat(1_000), 'y'.repeat(1_000)])
})

test('of one device no more is taken in a minute than may be; the next is put off and taken after it', async () => {
  house.bound({ inboundPerMinute: 500 })
  const one = (n: number, deviceId = 'dev_s') =>
    house.receive({ index: 1, total: 2, reference: n, text: 'x' }, deviceId)
  for (let n = 0; n < 500; n++) await one(n)
  await expect(one(500)).rejects.toMatchObject({
    code: 'rate_limited',
    extra: { headers: { 'retry-after': '60' } },
  })
  await one(500, 'dev_other')
  await house.clock.advance(59_999)
  await expect(one(500)).rejects.toMatchObject({ code: 'rate_limited' })
  await house.clock.advance(1)
  await one(500)
  expect(await house.kept()).toBe(502)
})

test('every piece is stored before its sender is told so', async () => {
  await house.receive({ index: 1 })
  expect(await house.kept()).toBe(1)
  expect(await house.texts()).toEqual([])
})

test.for([
  ['another sender', { from: '+4915187654321' }],
  ['another recipient', { to: '+15005550007' }],
  ['no recipient', { to: null }],
  ['another reference', { reference: 8 }],
  ['another number of pieces', { total: 4 }],
] as const)('a piece of %s does not belong to it', async ([, other]) => {
  await house.receive({ index: 1 })
  await house.receive({ index: 2 })
  await house.receive({ index: 3, ...other })
  expect(await house.texts()).toEqual([])
  await house.receive({ index: 3 })
  expect(await house.texts()).toEqual([whole])
})

test('nor one that reached another device', async () => {
  for (const index of [1, 2]) await house.receive({ index })
  await house.receive({ index: 3 }, 'dev_other')
  expect(await house.texts()).toEqual([])
})

test('a piece that comes again after its message went is dropped, by its fingerprint or by its text', async () => {
  await house.receive({ index: 1, fingerprint: 'same' })
  for (const index of [2, 3]) await house.receive({ index })
  await house.receive({ index: 1, fingerprint: 'same' })
  for (const index of [1, 2, 3]) await house.receive({ index })
  await house.clock.advance(2 * joinMs)
  await house.closer.sweepAll()
  expect(await house.texts()).toEqual([whole])
  expect(await house.kept()).toBe(0)
})

test('another text under a reference that was used begins a new message', async () => {
  for (const index of [1, 2, 3]) await house.receive({ index })
  for (const index of [1, 2, 3]) await house.receive({ index, text: `again ${index} ` })
  expect(await house.texts()).toEqual([whole, 'again 1 again 2 again 3 '])
})

test('what had come of the earlier message is handed over when its reference is used again', async () => {
  for (const index of [1, 3]) await house.receive({ index })
  for (const index of [1, 2, 3]) await house.receive({ index, text: `again ${index} ` })
  expect(await house.texts()).toEqual(['part 1. …part 3. ', 'again 1 again 2 again 3 '])
})

test('a reference that is used again after the time begins anew, even before the janitor came by, and with the same text', async () => {
  for (const index of [1, 2, 3]) await house.receive({ index })
  await house.receive({ index: 1, reference: 8 })
  await house.clock.advance(joinMs)
  for (const index of [1, 2, 3]) await house.receive({ index })
  for (const index of [2, 3]) await house.receive({ index, reference: 8 })
  expect(await house.texts()).toEqual([whole, whole, 'part 1. …'])
  await house.clock.advance(joinMs)
  await house.closer.sweepAll()
  expect(await house.texts()).toEqual([whole, whole, 'part 1. …', '…part 2. part 3. '])
})

test('after 30 minutes what came is handed over, with a mark where pieces are missing, and not before', async () => {
  await house.receive({ index: 2, total: 5 })
  await house.receive({ index: 4, total: 5 })
  await house.clock.advance(joinMs - 1)
  await house.closer.sweepAll()
  expect(await house.texts()).toEqual([])
  await house.clock.advance(1)
  await house.closer.sweepAll()
  expect(await house.texts()).toEqual(['…part 2. …part 4. …'])
  expect(await house.kept()).toBe(0)
})

test('any number of them in one go', async () => {
  for (let reference = 0; reference < 250; reference++) await house.receive({ index: 1, reference })
  await house.clock.advance(joinMs)
  await house.closer.sweepAll()
  expect(await house.texts()).toHaveLength(250)
  expect(await house.kept()).toBe(0)
})

test('a device keeps 2,000 pieces: beyond them its oldest message goes as it is, and no older one of another device', async () => {
  await house.receive({ index: 1, reference: 5_000 }, 'dev_other')
  await house.clock.advance(1)
  for (const index of [1, 3]) await house.receive({ index, reference: 0 })
  await house.store.writer.write(async (tx) => {
    const first = await tx.selectFrom('inbound_fragments').selectAll().where('device_id', '=', 'dev_s').execute()
    const later = Array.from({ length: 999 }, (_, i) => i + 1)
    const rows = later.flatMap((reference) =>
      first.map((row) => ({ ...row, reference, fingerprint: `${row.fingerprint}.${reference}`, received_at: row.received_at + reference })),
    )
    await insertRows(tx, 'inbound_fragments', rows)
  })
  await house.clock.advance(1_000)
  expect(await house.kept()).toBe(2_001)
  await house.receive({ index: 3, reference: 5_000 }, 'dev_other')
  expect(await house.texts()).toEqual([])
  await house.receive({ index: 1, reference: 5_000 })
  expect(await house.texts()).toEqual(['part 1. …part 3. '])
  await house.receive({ index: 2, reference: 2 })
  await house.receive({ index: 2, reference: 3, text: 'a piece of one that is kept' })
  expect(await house.kept()).toBe(2_001)
  expect(await house.texts()).toEqual([
    'part 1. …part 3. ',
    whole,
    'part 1. …part 3. ',
    'part 1. a piece of one that is keptpart 3. ',
  ])
}) // prettier-ignore

test('numbers that make no sense say nothing: the message is whole', async () => {
  await house.receive({ index: 0, text: 'zero' })
  await house.receive({ index: 4, text: 'four' })
  await house.receive({ index: 1, total: 1, text: 'one' })
  expect(await house.texts()).toEqual(['zero', 'four', 'one'])
})

test('pieces may end within a character', async () => {
  const text = 'first 😀 second'
  await house.receive({ index: 2, total: 2, text: text.slice(7) })
  await house.receive({ index: 1, total: 2, text: text.slice(0, 7) })
  expect(await house.texts()).toEqual([text])
  await house.receive({ index: 1, reference: 8, text: text.slice(0, 7) })
  await house.clock.advance(joinMs)
  await house.closer.sweepAll()
  expect(await house.texts()).toEqual([text, 'first \ufffd…'])
})

test('a message cannot grow beyond what is kept of any', async () => {
  for (const index of [1, 2, 3]) await house.receive({ index, text: 'x'.repeat(30_000) })
  expect((await house.texts()).map((text) => text?.length)).toEqual([40_000])
})
