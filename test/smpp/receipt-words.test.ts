import { expect, test } from 'vitest'
import { type MessageFields, tlvTags } from '../../src/smpp/codec/pdu.ts'
import { type ReceiptFacts, parseReceipt } from '../../src/smpp/values/receipt.ts'
import type { ReceiptWords } from '../../src/smpp/values/receipt-verdict.ts'
import { deliveryOf } from './receipt-fixture.ts'

const standard =
  'id:0123456789 sub:001 dlvrd:001 submit date:2611210637 done date:2611210638 stat:DELIVRD err:000 text:Your code is 123'

const read = (
  text: string,
  changed: Partial<MessageFields> = {},
  words: ReceiptWords = new Map(),
): ReceiptFacts | null =>
  parseReceipt(deliveryOf(text, changed), { isKnownId: () => false, words, pattern: null })
const delivered = (networkId: string) => expect.objectContaining({ networkId, result: 'delivered' })
const idTlv = (id: string) => ({ tag: tlvTags.receipted_message_id, value: Buffer.from(id, 'latin1') })
const stateTlv = (state: number) => ({ tag: tlvTags.message_state, value: Buffer.of(state) })

test('words that are no end are acknowledged, and a better word is waited for', () => {
  const open = [
    'ACKED',
    'BUFFRED',
    'BUFFERD',
    'ENROUTE',
    'ACCEPTD',
    'UNKNOWN',
    'SCHEDLD',
    'SCHEDULED',
    'NULL',
    'SUBMITTED',
    'SENT',
    'PENDING',
    'QUEUED',
    'RETRY',
    'PROCESSING',
    '1',
    '6',
  ]
  for (const word of open) expect(read(`id:1 stat:${word}`), word).toEqual({ result: null })
})

// BARRED, BARREDA, ZEROBAL: PSWinCom, Delivery-Report-Status. NOCRED, SYSERR: smscentral.com.au, sms-api/smpp/receive-dlrs.
test.for(['BARRED', 'BARREDA', 'ZEROBAL', 'NOCRED', 'SYSERR', 'whatever'])(
  'a word of the carrier’s own is the end of a message that was not delivered, and the code of the network: %s',
  (word) => {
    expect(read(`id:1 stat:${word} err:041`)).toMatchObject({
      result: 'undelivered',
      code: 'unknown',
      networkCode: word,
      ownWord: word,
    })
  },
)

test('a number that is no state of SMPP is a word that nobody knows, and no state hides the word beside it', () => {
  expect(read('id:1 stat:12')).toMatchObject({ result: 'undelivered', networkCode: '12', ownWord: '12' })
  expect(read('', { tlvs: [idTlv('1'), stateTlv(12)] })).toEqual({ result: null, isUnparsed: true })
  expect(read('id:1 stat:DELIVRD', { tlvs: [stateTlv(12)] })).toEqual(delivered('1'))
})

test('a number in the place of a word is a state of the message', () => {
  expect(read('id:1 stat:2')).toEqual(delivered('1'))
  expect(read('id:1 stat:5 err:7')).toMatchObject({
    result: 'undelivered',
    code: 'unreachable',
    networkCode: '7',
  })
})

test('what a word means can be set, also of one that SMPP has', () => {
  const words: ReceiptWords = new Map([
    ['HELD', 'open'],
    ['READ', 'delivered'],
    ['ACCEPTD', 'undelivered'],
  ])
  const told = (word: string) => read(`id:1 stat:${word} err:7`, {}, words)
  expect(told('held')).toEqual({ result: null })
  expect(told('READ')).toMatchObject({ result: 'delivered', code: null })
  expect(told('ACCEPTD')).toMatchObject({ result: 'undelivered', code: 'unknown', networkCode: '7' })
})

const whole = (word: string): string => standard.replace('DELIVRD', word)
const notes = [0x20, 0x08, 0x10]

test.for(notes)('a final word under esm_class %i, where none belongs, is a receipt', (esmClass) => {
  expect(read(standard, { esmClass })).toEqual(delivered('0123456789'))
  expect(read('', { esmClass, tlvs: [idTlv('a'), stateTlv(5)] })).toMatchObject({ result: 'undelivered' })
})

test.for(notes)('under esm_class %i a word that is no end is acknowledged', (esmClass) => {
  expect(read(whole('ENROUTE'), { esmClass })).toEqual({ result: null })
})

test.for(notes)('under esm_class %i a word that nobody knows is no end', (esmClass) => {
  expect(read(whole('BARRED'), { esmClass })).toEqual({ result: null, ownWord: 'BARRED' })
})

const written = [0x08, 0x10]

test.for(written)('under esm_class %i, which handsets write, nothing is acknowledged', (esmClass) => {
  expect(read('', { esmClass })).toEqual({ result: null })
})

test.for(written)(
  'under esm_class %i a text that is no whole receipt of a known message is a message',
  (esmClass) => {
    for (const text of ['STOP', 'My id: 4711', 'My id: 4711 stat: gold', 'id:4711 stat:DELIVRD'])
      expect(read(text, { esmClass }), text).toBeNull()
    const known = { isKnownId: (id: string) => id === '4711', words: new Map(), pattern: null }
    expect(parseReceipt(deliveryOf('id:4711 stat:DELIVRD', { esmClass }), known)).toEqual(delivered('4711'))
  },
)

test('a note of the SMSC itself is never a message of a person', () => {
  expect(read('', { esmClass: 0x20 })).toEqual({ result: null, isUnparsed: true })
  expect(read('on its way', { esmClass: 0x20 })).toEqual({ result: null, isUnparsed: true })
})
