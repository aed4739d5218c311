import { expect, test } from 'vitest'
import { describePdu } from '../../src/smpp/values/describe-pdu.ts'
import type { MessageFields } from '../../src/smpp/codec/pdu.ts'
import { readPattern } from '../../src/smpp/values/receipt-pattern.ts'
import type { ReceiptReading } from '../../src/smpp/values/receipt.ts'
import { deliveryOf } from './receipt-fixture.ts'

const describe = (
  text: string,
  changed: Partial<MessageFields> = {},
  reading: ReceiptReading | null = null,
): Record<string, unknown> =>
  describePdu({ command: 'deliver_sm', status: 0, sequence: 1, body: deliveryOf(text, changed) }, reading)
const tlv = (tag: number, hex: string) => ({ tag, value: Buffer.from(hex, 'hex') })
const text = (value: string) => Buffer.from(value).toString('hex')

test('of a receipt its id, its word and its code are told, and nothing that it quotes', () => {
  const said = describe('id:7f sub:001 stat:UNDELIV err:011 text:id:Jane stat:4711')
  expect(said['receipt']).toEqual({ id: '7f', stat: 'UNDELIV', err: '011' })
  for (const key of ['text', 'Text', 'TEXT '])
    expect(describe(`stat:DELIVRD ${key}:id:Jane`)['receipt']).toEqual({
      id: null,
      stat: 'DELIVRD',
      err: null,
    })
  expect(JSON.stringify(describe('Dear Jane, your code is 4711'))).not.toMatch(/Jane|4711/)
})

test('a text of a person is none, whatever words it has; one of whole form is a receipt under any type', () => {
  expect(describe('My id:4711 stat:gold', { esmClass: 0 })).not.toHaveProperty('receipt')
  const whole =
    'id:7f sub:001 dlvrd:001 submit date:2611260405 done date:2611260406 stat:DELIVRD err:000 text:'
  expect(describe(whole, { esmClass: 0 })['receipt']).toEqual({ id: '7f', stat: 'DELIVRD', err: '000' })
})

test('TLVs that are numbers, codes and ids are told with their values, and others with their length alone', () => {
  const tlvs = [
    tlv(0x001e, `${text('7f')}00`),
    tlv(0x0427, '02'),
    tlv(0x0423, '03000b'),
    tlv(0x0204, '1234'),
    tlv(0x0381, text('15005550006')),
    tlv(0x0424, text('secret')),
    tlv(0x001d, text('Dear Jane')),
    tlv(0x0427, ''),
  ]
  expect(describe('', { tlvs })['tlvs']).toEqual([
    '001e/3=7f',
    '0427/1=2',
    '0423/3=03000b',
    '0204/2=4660',
    '0381/11',
    '0424/6',
    '001d/9',
    '0427/0',
  ])
})

// Jasmin names the parts of a long message SAR-<recipient>-…: jookies/jasmin#418.
test('a number within an id is left out', () => {
  const id = 'SAR-15005550006-1eedf843-2-1'
  const said = describe(`id:${id} stat:DELIVRD`, { tlvs: [tlv(0x001e, text(id))] })
  expect(said).toMatchObject({
    receipt: { id: 'SAR-***-1eedf843-2-1' },
    tlvs: [`001e/${id.length}=SAR-***-1eedf843-2-1`],
  })
})

test.for([
  ['+15005550006', 'a plus'],
  ['0015005550006', 'zeros'],
  ['5005550006', 'no country'],
  ['05005550006', 'a zero for its country'],
  ['1-500-555-0006', 'dashes'],
  ['+1 (500) 555 0006', 'brackets and blanks'],
  ['15005550006', 'nothing in front'],
] as const)('a number that is written as %s within an id or a code is left out, too: with %s', ([number]) => {
  const id = `SAR/${number}/1eedf843`
  expect(describe('', { tlvs: [tlv(0x001e, text(id))] })['tlvs']).toEqual([
    `001e/${id.length}=SAR/***/1eedf843`,
  ])
  const said = describe(`id:7f stat:X${number.replaceAll(' ', '')} err:011`)
  expect(said['receipt']).toEqual({ id: '7f', stat: 'X***', err: '011' })
})

test('an id whose digits are those of no number of its receipt stays whole', () => {
  expect(describe('id:15005550007 stat:DELIVRD')['receipt']).toMatchObject({ id: '15005550007' })
})

test('a receipt in the form of its link is told by that, under any type, and a text of a person that looks like it is not', () => {
  const pattern = readPattern('{stat},{submitted},{id},{err}') as NonNullable<ReceiptReading['pattern']>
  const reading: ReceiptReading = { pattern, words: new Map([['00', 'delivered']]) }
  const receipt = { id: 'Ab-7', stat: '00', err: '5' }
  for (const esmClass of [0x04, 0x00])
    expect(describe('00,2611260405,Ab-7,5', { esmClass }, reading)['receipt']).toEqual(receipt)
  expect(describe('00,2611260405,Ab-7,5 Dear Jane', {}, reading)['receipt']).toEqual({
    ...receipt,
    err: null,
  })
  expect(describe('7,2611260405,Jane,4711', { esmClass: 0 }, reading)).not.toHaveProperty('receipt')
  expect(describe('id:7f stat:DELIVRD err:000', {}, reading)['receipt']).toMatchObject({ id: '7f' })
})
