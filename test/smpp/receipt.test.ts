import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MessageFields, tlvTags } from '../../src/smpp/codec/pdu.ts'
import { type ReceiptFacts, parseReceipt as readWith } from '../../src/smpp/values/receipt.ts'
import { messageErrors } from '../../src/messages/core/message-errors.ts'
import { octets } from './pdu-arbitraries.ts'
import { deliveryOf } from './receipt-fixture.ts'

const readReceipt = (fields: MessageFields, isKnownId: (id: string) => boolean): ReceiptFacts | null =>
  readWith(fields, { isKnownId, words: new Map(), pattern: null })

const nobody = () => false
const everybody = () => true
const standard =
  'id:0123456789 sub:001 dlvrd:001 submit date:2611210637 done date:2611210638 stat:DELIVRD err:000 text:Your code is 123'

const read = (text: string, changed: Partial<MessageFields> = {}) =>
  readReceipt(deliveryOf(text, changed), nobody)
const delivered = (networkId: string) => expect.objectContaining({ networkId, result: 'delivered' })
const idTlv = (id: string) => ({ tag: tlvTags.receipted_message_id, value: Buffer.from(id, 'latin1') })
const stateTlv = (state: number) => ({ tag: tlvTags.message_state, value: Buffer.of(state) })
const byTlv = (state: number, ...more: MessageFields['tlvs']) =>
  readReceipt(deliveryOf('', { tlvs: [idTlv('7f\0'), stateTlv(state), ...more] }), nobody)

test('the text of appendix B is read, with the numbers it came from and to', () => {
  expect(read(standard)).toEqual({
    networkId: '0123456789',
    result: 'delivered',
    code: null,
    networkCode: '000',
    numbers: ['15005550006', 'ACME'],
    reference: null,
    submittedAt: Date.UTC(2026, 10, 21, 6, 37),
    covers: null,
  })
})

test('one receipt for a long message says of how many parts it speaks', () => {
  const covered = (words: string) => read(`id:1 ${words} stat:DELIVRD`)
  expect(covered('sub:002 dlvrd:002')).toMatchObject({ covers: 2 })
  for (const words of ['sub:001 dlvrd:001', 'sub:002 dlvrd:001', 'sub:003', 'sub:x dlvrd:x', 'text:sub:002 dlvrd:002', 'TEXT:sub:002 dlvrd:002'])
    expect(covered(words), words).toMatchObject({ covers: null })
}) // prettier-ignore

test('the reference of the submit is read where it comes back, in two octets', () => {
  const echo = (...octetsOfIt: number[]) =>
    read(standard, { tlvs: [{ tag: tlvTags.user_message_reference, value: Buffer.from(octetsOfIt) }] })
  expect(echo(0x12, 0x34)).toMatchObject({ reference: 0x1234 })
  expect(echo(0x12)).toMatchObject({ reference: null })
  expect(echo(0x31, 0x30, 0)).toMatchObject({ reference: null })
})

test('the submit date may have seconds or its century, and is left out where it is none or the sender wrote it', () => {
  const at = (words: string) => {
    const receipt = read(`id:1 stat:DELIVRD ${words}`)
    return receipt !== null && receipt.result !== null ? receipt.submittedAt : undefined
  }
  expect(at('submit date:261121063755')).toBe(Date.UTC(2026, 10, 21, 6, 37, 55))
  expect(at('submitdate:20261121063755')).toBe(Date.UTC(2026, 10, 21, 6, 37, 55))
  for (const none of ['', 'submit date:0', 'submit date:2613210637', 'submit date:202611210637', 'text:submit date:2611210637'])
    expect(at(none)).toBeNull()
}) // prettier-ignore

test('sub and dlvrd may be missing', () => {
  expect(read('id:1a submit date:2611210637 done date:2611210638 stat:DELIVRD err:000 text:')).toEqual(
    delivered('1a'),
  )
})

test('everything but id and stat may be missing', () => {
  expect(read('id:1a stat:DELIVRD')).toMatchObject({ networkId: '1a', networkCode: null })
})

test('keys may stand in any order', () => {
  expect(read('stat:UNDELIV err:011 done date:2611210638 id:99 dlvrd:000 text:hello sub:001')).toMatchObject({
    networkId: '99',
    result: 'undelivered',
    networkCode: '011',
  })
})

test('keys may be written in capitals, and states in small letters', () => {
  expect(read('ID:1A SUB:001 Dlvrd:001 Stat:delivrd ERR:0 TEXT:x')).toEqual(delivered('1A'))
})

test('err may have letters, four digits, or nothing', () => {
  expect(read('id:1 stat:UNDELIV err:EC_ABSENT text:')).toMatchObject({ networkCode: 'EC_ABSENT' })
  expect(read('id:1 stat:UNDELIV err:0011 text:')).toMatchObject({ networkCode: '0011' })
  expect(read('id:1 stat:UNDELIV err: text:hello')).toMatchObject({ networkCode: null })
  expect(read('id:1 stat:UNDELIV err:, text:hello')).toMatchObject({ networkCode: null })
  expect(read('id:1 stat:DELIVRD err:')).toMatchObject({ result: 'delivered', networkCode: null })
})

test('text may be written with a capital letter', () => {
  expect(read('id:1 stat:DELIVRD err:000 Text:id:2 stat:UNDELIV')).toEqual(delivered('1'))
})

test('dates may have 10, 12 or 14 digits', () => {
  expect(read('id:1 submit date:2611210637 done date:2611210638 stat:DELIVRD')).toEqual(delivered('1'))
  expect(read('id:1 submit date:261121063700 done date:261121063801 stat:DELIVRD')).toEqual(delivered('1'))
  expect(read('id:1 submit date:20261121063700 done date:20261121063801 stat:DELIVRD')).toEqual(
    delivered('1'),
  )
})

test('dates may be written in one word, and ids with dashes', () => {
  const id = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
  expect(read(`id:${id} submitdate:2611210637 donedate:2611210638 stat:DELIVRD err:0`)).toEqual(delivered(id))
  expect(read(`id:${id} submit_date:2611210637 done_date:2611210638 stat:DELIVRD`)).toEqual(delivered(id))
})

test('states may be longer than seven letters', () => {
  expect(read('id:1 stat:DELIVERED')).toEqual(delivered('1'))
  expect(read('id:1 stat:UNDELIVERABLE')).toMatchObject({ result: 'undelivered', code: 'unreachable' })
  expect(read('id:1 stat:REJECTED')).toMatchObject({ result: 'undelivered', code: 'network_rejected' })
})

test('blanks may stand behind the colon, and commas between', () => {
  expect(read('id: 77, stat: DELIVRD, err: 000, text: x')).toEqual(delivered('77'))
})

test('the text may come in message_payload', () => {
  const payload = { tag: tlvTags.message_payload, value: Buffer.from(standard) }
  expect(read('', { tlvs: [payload] })).toEqual(delivered('0123456789'))
})

test('a NUL may close the text', () => {
  expect(read('id:1 stat:DELIVRD\0')).toEqual(delivered('1'))
  expect(read('stat:DELIVRD id:1\0')).toEqual(delivered('1'))
})

test('the text may be in UCS-2', () => {
  const shortMessage = Buffer.from(standard, 'utf16le').swap16()
  expect(read('', { shortMessage, dataCoding: 8 })).toEqual(delivered('0123456789'))
})

test('what it quotes may be cut within a character of more than one octet', () => {
  const quoted = Buffer.from('id:1 stat:DELIVRD err:000 text:Žluťoučký')
  expect(read('', { shortMessage: quoted.subarray(0, -1) })).toEqual(delivered('1'))
})

test('what it quotes may look like a receipt, and says nothing', () => {
  expect(read('id:1 sub:001 stat:DELIVRD err:000 text:id:2 stat:UNDELIV err:9')).toMatchObject({
    networkId: '1',
    result: 'delivered',
    networkCode: '000',
  })
  expect(read('text:id:2 stat:UNDELIV id:1 stat:DELIVRD')).toEqual(delivered('1'))
})

test('words that end like a key are none', () => {
  expect(read('void:5 id:1 mystat:X stat:DELIVRD')).toEqual(delivered('1'))
})

test('a header before the text is passed over', () => {
  const header = Buffer.from([0x05, 0x00, 0x03, 0x01, 0x01, 0x01])
  const shortMessage = Buffer.concat([header, Buffer.from(standard)])
  expect(read('', { shortMessage, esmClass: 0x44 })).toEqual(delivered('0123456789'))
})

test('TLVs win over the text', () => {
  const tlvs = [
    idTlv('other'),
    stateTlv(5),
    { tag: tlvTags.network_error_code, value: Buffer.from([3, 0, 27]) },
  ]
  expect(read(standard, { tlvs })).toMatchObject({
    networkId: 'other',
    result: 'undelivered',
    code: 'unreachable',
    networkCode: '27',
  })
})

test('what a TLV does not say, the text does', () => {
  expect(read(standard, { tlvs: [stateTlv(2)] })).toEqual(delivered('0123456789'))
  expect(read('stat:DELIVRD', { tlvs: [idTlv('a\0')] })).toEqual(delivered('a'))
  expect(read('id:b stat:DELIVRD', { tlvs: [idTlv('\0')] })).toEqual(delivered('b'))
})

test('network_error_code may have a fourth octet, and fewer than three say nothing', () => {
  const withError = (...octetsOf: number[]) =>
    byTlv(5, { tag: tlvTags.network_error_code, value: Buffer.from(octetsOf) })
  expect(withError(3, 1, 0)).toMatchObject({ networkCode: '256' })
  expect(withError(3, 0, 1, 0)).toMatchObject({ networkCode: '256' })
  expect(withError(3, 0)).toMatchObject({ networkCode: null })
  expect(withError(0xff, 0xff, 0xff, 0xff, 0xff)).toMatchObject({ networkCode: '4294967295' })
})

test('each message_state has its meaning', () => {
  const meanings = Array.from({ length: 11 }, (_, state) => {
    const facts = byTlv(state)
    if (facts === null || facts.result === null) return null
    return facts.result === 'delivered' ? 'delivered' : facts.code
  })
  expect(meanings).toEqual([
    null, null, 'delivered', 'expired_in_network', 'network_rejected', 'unreachable',
    null, null, 'network_rejected', 'network_rejected', null,
  ]) // prettier-ignore
})

test('every code it gives is in the catalogue', () => {
  const words = ['DELIVRD', 'UNDELIV', 'EXPIRED', 'DELETED', 'REJECTD', 'SKIPPED', 'FAILED']
  const facts = [
    ...words.map((word) => read(`id:1 stat:${word}`)),
    ...Array.from({ length: 10 }, (_, state) => byTlv(state)),
  ]
  const codes = facts.flatMap((fact) => (fact?.result === 'undelivered' ? [fact.code] : []))
  expect(codes).toHaveLength(11)
  expect(Object.keys(messageErrors)).toEqual(expect.arrayContaining(codes))
})

test('without a word in esm_class, both TLVs make a receipt', () => {
  expect(read('hello', { esmClass: 0, tlvs: [idTlv('a'), stateTlv(2)] })).toEqual(delivered('a'))
  expect(read('hello', { esmClass: 0, tlvs: [idTlv('a')] })).toBeNull()
  expect(read('hello', { esmClass: 0, tlvs: [stateTlv(2)] })).toBeNull()
})

test('without a word in esm_class, the text makes a receipt only when its id is known', () => {
  const asked: string[] = []
  const known = (id: string) => asked.push(id) > 0 && id === '0123456789'
  expect(readReceipt(deliveryOf(standard, { esmClass: 0 }), known)).toEqual(delivered('0123456789'))
  expect(readReceipt(deliveryOf('id:5 stat:DELIVRD', { esmClass: 0 }), known)).toBeNull()
  expect(asked).toEqual(['0123456789', '5'])
  expect(readReceipt(deliveryOf('id:5 what?', { esmClass: 0 }), everybody)).toBeNull()
})

test('other bits of esm_class do not matter', () => {
  expect(read(standard, { esmClass: 0x04 | 0x03 | 0x80 })).toEqual(delivered('0123456789'))
  expect(readReceipt(deliveryOf('Hi', { esmClass: 0x83 }), everybody)).toBeNull()
})

test('a receipt that names no message, or says nothing of it, is one that cannot be read', () => {
  for (const text of ['Hello', '', 'stat:DELIVRD', 'id:1'])
    expect(read(text), text).toEqual({ result: null, isUnparsed: true })
})

test('any octets are read without a throw, and an ordinary text is never taken for a receipt', () => {
  const tags = fc.constantFrom(0x001e, 0x0427, 0x0423, 0x0424)
  fc.assert(
    fc.property(
      octets(200),
      fc.nat(255),
      fc.array(fc.record({ tag: tags, value: octets(70) }), { maxLength: 4 }),
      (shortMessage, esmClass, tlvs) => {
        const facts = readReceipt(deliveryOf('', { shortMessage, esmClass, tlvs }), everybody)
        if (facts !== null && facts.result !== null) expect(facts.networkId).not.toBe('')
      },
    ),
  )
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(readReceipt(deliveryOf(text, { esmClass: 0 }), nobody)).toBeNull()
    }),
  )
})
