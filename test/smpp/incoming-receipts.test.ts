import { expect, test } from 'vitest'
import type { ReceiptReading } from '../../src/smpp/values/receipt.ts'
import { readPattern } from '../../src/smpp/values/receipt-pattern.ts'
import { openIncoming } from './incoming-fixture.ts'

test('a receipt with an id that fills its text is taken and not kept, and its code is cut to what a code can be', async () => {
  const { heard, say } = openIncoming()
  const receipt = (id: string, err: string) =>
    say({
      esmClass: 4,
      shortMessage: Buffer.alloc(0),
      tlvs: [{ tag: 0x0424, value: Buffer.from(`id:${id} stat:UNDELIV err:${err}`) }],
    })
  for (const letters of [256, 60_000]) await receipt('a'.repeat(letters), '1')
  expect([heard.receipts, heard.inbound]).toEqual([[], []])
  await receipt('a'.repeat(255), '1')
  expect(heard.receipts.splice(0)).toMatchObject([{ networkId: 'a'.repeat(255) }])
  await receipt('7', 'e'.repeat(60_000))
  expect(heard.receipts).toMatchObject([{ networkId: '7', networkCode: 'e'.repeat(32) }])
})

test('a word that nobody knows is told, and is an end only where esm_class tells of one', async () => {
  const { heard, say } = openIncoming()
  heard.known.add('1')
  for (const [esmClass, word] of [
    [0x04, 'BARRED'],
    [0x00, 'NOCRED'],
    [0x20, 'PARKED'],
  ] as const)
    await say({ esmClass, shortMessage: Buffer.from(`id:1 stat:${word}`) })
  expect(heard.receipts.map(({ networkCode }) => networkCode)).toEqual(['BARRED'])
  expect(heard.inbound).toEqual([])
  expect(heard.unread).toEqual([
    ['BARRED', 'undelivered'],
    ['NOCRED', 'open'],
    ['PARKED', 'open'],
  ])
})

test('a receipt that names no message, or says nothing of it, is told of', async () => {
  const { heard, say } = openIncoming()
  for (const text of ['00,2611260405,2611260406', 'id:1 err:000', ''])
    await say({ esmClass: 0x04, shortMessage: Buffer.from(text) })
  expect([heard.receipts, heard.inbound, heard.unread]).toEqual([[], [], [4, 4, 4]])
})

test('STOP under a type that handsets have for acknowledgements is stored', async () => {
  const { heard, say } = openIncoming()
  await say({ esmClass: 0x10, shortMessage: Buffer.from('STOP') })
  expect(heard.inbound).toMatchObject([{ text: 'STOP' }])
})

test('a receipt covers the parts that it counts, and the whole message where receipts are one a message', async () => {
  const text = 'id:7 sub:002 dlvrd:002 stat:DELIVRD err:000 text:'
  for (const [per, covers] of [
    ['part', 2],
    ['message', 'all'],
  ] as const) {
    const { heard, say } = openIncoming(per)
    await say({ esmClass: 0x04, shortMessage: Buffer.from(text) })
    expect(heard.receipts).toMatchObject([{ covers }])
  }
})

const early =
  'id:77 sub:001 dlvrd:001 submit date:2611260405 done date:2611260406 stat:DELIVRD err:000 text:Hi'
const source = { ton: 1, npi: 1, address: '4915112345678' }
const destination = { ton: 1, npi: 1, address: '4930123456' }

test('a receipt that does not say so and comes before the answer of its submit is one once that is there', async () => {
  const { heard, say } = openIncoming()
  const waited: unknown[] = []
  heard.waitFor = async (ids, numbers) => {
    waited.push([ids[0], numbers])
    heard.known.add('77')
  }
  await say({ esmClass: 0, source, destination, shortMessage: Buffer.from(early) })
  expect([heard.receipts.map(({ networkId }) => networkId), heard.inbound]).toEqual([['77'], []])
  expect(waited).toEqual([['77', [source.address, destination.address]]])
})

test('where no id turns up it is a receipt that nobody waits for, and a text that is no whole receipt is one, and never waited for', async () => {
  const { heard, say } = openIncoming()
  let waits = 0
  heard.waitFor = async () => void waits++
  await say({ esmClass: 0, shortMessage: Buffer.from(early) })
  await say({ esmClass: 0, shortMessage: Buffer.from(early.replace('DELIVRD', 'ENROUTE')) })
  await say({ esmClass: 0, shortMessage: Buffer.from('id:78 stat:DELIVRD') })
  expect(heard.receipts.map(({ networkId }) => networkId)).toEqual(['77'])
  expect(heard.inbound.map(({ text }) => text)).toEqual(['id:78 stat:DELIVRD'])
  expect(waits).toBe(2)
})

test('a receipt that says so is stored at once, whether or not its id is known', async () => {
  const { heard, say } = openIncoming()
  heard.waitFor = async () => expect.fail('it waited')
  await say({ esmClass: 4, source, destination, shortMessage: Buffer.from(early) })
  expect(heard.receipts.map(({ networkId }) => networkId)).toEqual(['77'])
})

const ownForm: ReceiptReading = {
  words: new Map([['00', 'delivered']]),
  pattern: readPattern('{stat},{submitted},{id},{*}') ?? null,
}

test('receipts have the form that the link says, whatever their type, and a text of that form with a word of nobody is a text', async () => {
  const { heard, say } = openIncoming('part', { receipts: ownForm })
  const report = '00,2611260405,AB12,rest of it'
  for (const esmClass of [4, 0, 0x10])
    await say({ esmClass, source, destination, shortMessage: Buffer.from(report) })
  expect(heard.receipts.map(({ networkId, result }) => [networkId, result])).toEqual(
    Array.from({ length: 3 }, () => ['ab12', 'delivered']),
  )
  expect(heard.receipts[0]?.submittedAt).toBe(Date.UTC(2026, 10, 26, 4, 5))
  await say({ esmClass: 4, shortMessage: Buffer.from('id:9 stat:DELIVRD') })
  expect(heard.receipts.at(-1)).toMatchObject({ networkId: '9' })
  const text = 'soon,2611260405,or,later'
  await say({ esmClass: 0, shortMessage: Buffer.from(text) })
  // A number that is no word of the link, though one of SMPP.
  const digits = '02,2611260405,AB12,later'
  await say({ esmClass: 0, shortMessage: Buffer.from(digits) })
  expect(heard.inbound.map((inbound) => inbound.text)).toEqual([text, digits])
})

const reference = { tag: 0x0204, value: Buffer.of(0x12, 0x34) }
const isDelivered = { tag: 0x0427, value: Buffer.of(2) }

test('a receipt without an id is about the reference that it brings, once nothing to its number waits for its answer', async () => {
  const { heard, say } = openIncoming()
  const waited: unknown[] = []
  heard.waitFor = async (ids, numbers) => void waited.push([ids, numbers])
  const tlvs = [reference, isDelivered]
  for (const esmClass of [4, 0])
    await say({ esmClass, source, destination, shortMessage: Buffer.alloc(0), tlvs })
  await say({
    esmClass: 4,
    source,
    destination,
    shortMessage: Buffer.from('stat:UNDELIV err:7'),
    tlvs: [reference],
  })
  expect(heard.receipts).toMatchObject([
    { hasNoId: true, reference: 0x1234, result: 'delivered' },
    { hasNoId: true, reference: 0x1234, result: 'delivered' },
    { hasNoId: true, reference: 0x1234, result: 'undelivered', networkCode: '7' },
  ])
  expect(waited).toEqual(Array.from({ length: 3 }, () => [[], [source.address, destination.address]]))
  const blank = { ton: 0, npi: 0, address: '' }
  await say({ esmClass: 4, source: blank, destination: blank, shortMessage: Buffer.alloc(0), tlvs })
  expect([heard.receipts.length, heard.inbound, heard.unread]).toEqual([3, [], [4]])
})

test('a receipt that names one number says so', async () => {
  const { heard, say } = openIncoming()
  const shortMessage = Buffer.from(early)
  await say({ esmClass: 4, source: { ton: 0, npi: 0, address: '' }, destination, shortMessage })
  await say({ esmClass: 4, source, destination, shortMessage })
  expect(heard.receipts.map(({ isOneSided }) => isOneSided)).toEqual([true, undefined])
})

test('an id that is kept as it stands may come in other letters', async () => {
  const { heard, say } = openIncoming('part', { ids: 'exact' })
  for (const id of ['aB', '12'])
    await say({ esmClass: 4, shortMessage: Buffer.from(`id:${id} stat:DELIVRD`) })
  expect(heard.receipts.map(({ networkId, anyCase }) => [networkId, anyCase])).toEqual([
    ['aB', true],
    ['12', undefined],
  ])
})

test('what cannot be decided yet is neither: it is asked for again', async () => {
  const { heard, say } = openIncoming()
  heard.waitFor = async () => Promise.reject(new Error('The response to its submission has not arrived yet.'))
  await say({ esmClass: 0, shortMessage: Buffer.from(early) })
  expect([heard.receipts, heard.inbound]).toEqual([[], []])
})
