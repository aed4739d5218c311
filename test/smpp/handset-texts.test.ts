import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { npmSmpp } from '../peers/smsc/npm-smpp.ts'
import type { SubmitRecord } from '../peers/smsc/smsc-log.ts'
import { decodeText, packSeptets, toSeptets } from '../peers/sms-text/alphabets.ts'
import { judgeTexts, reassemble } from '../peers/sms-text/reassemble.ts'

/** The oracle of texts: what it says about the log of the SMSC, on logs of which the answer is known. */

const unpacked = { alphabet: 'gsm7', udhOctets: 0 } as const
const packed = { alphabet: 'gsm7-packed', udhOctets: 0 } as const

/** A submit with these bytes, taken. */
function submitOf(message: string, more: Partial<SubmitRecord> = {}): SubmitRecord {
  return {
    kind: 'submit',
    n: 1,
    session: 1,
    sequence: 1,
    command: 'submit_sm',
    at: 0,
    serviceType: '',
    source: 'SHOP',
    sourceTon: 5,
    sourceNpi: 0,
    destination: '491511234567',
    destinationTon: 1,
    destinationNpi: 1,
    esmClass: more.udh === undefined ? 0 : 0x40,
    protocolId: 0,
    priority: 0,
    scheduleDeliveryTime: '',
    validityPeriod: '',
    registeredDelivery: 1,
    replaceIfPresent: 0,
    dcs: 0,
    shortMessage: (more.udh ?? '') + message,
    udh: '',
    tlvs: {},
    answer: 0,
    status: 0,
    taken: true,
    messageId: '1',
    exact: true,
    ...more,
  }
}

const ascii = (text: string): string => Buffer.from(text, 'ascii').toString('hex')
const part = (reference: number, total: number, number: number, text: string): SubmitRecord =>
  submitOf(ascii(text), { udh: Buffer.from([5, 0, 3, reference, total, number]).toString('hex') })

test('GSM-7 means the same to us as to the package, whatever the text', () => {
  const character = fc.constantFrom(
    ...'@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCXYZÄÖÑÜ§¿abcxyzäöñüà\f^{}\\[~]|€',
  )
  fc.assert(
    fc.property(fc.string({ unit: character, minLength: 1, maxLength: 80 }), (text) => {
      const theirs = new npmSmpp.PDU('submit_sm', { data_coding: 0, short_message: text })
      theirs.toBuffer()
      const bytes = theirs.short_message as Buffer
      expect(decodeText(bytes, 0, unpacked)).toBe(text)
      expect(Buffer.from(toSeptets(text)!)).toEqual(bytes)
    }),
  )
})

test('packed septets are those of the standard, and come back whatever the text', () => {
  expect(packSeptets(toSeptets('hellohello')!).toString('hex')).toBe('e8329bfd4697d9ec37')
  // As gnokii packs it.
  const gnokii = Buffer.from('c8329bfd066d50f7b79c4ddea44031d9a60c', 'hex')
  expect(decodeText(gnokii, 0, packed)).toBe('Hello {world} 12€')
  expect(packSeptets(toSeptets('Hello {world} 12€')!)).toEqual(gnokii)
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zA-Z€{}ßÖ ]{1,80}$/), fc.nat(10), (text, udhOctets) => {
      const bytes = packSeptets(toSeptets(text)!, udhOctets)
      expect(decodeText(bytes, 0, { ...packed, udhOctets })).toBe(text)
    }),
  )
})

test('data_coding says what bytes mean, with a class too', () => {
  const decode = (hex: string, dcs: number, alphabet: 'gsm7' | 'latin1' | 'ascii' = 'gsm7'): string =>
    decodeText(Buffer.from(hex, 'hex'), dcs, { alphabet, udhOctets: 0 })
  expect(decode('00e4', 0, 'latin1')).toBe('\0ä')
  expect(decode('0041', 0)).toBe('@A')
  expect(decode('4041', 0, 'ascii')).toBe('@A')
  expect(decode('40e4', 1)).toBe('@\uFFFD')
  expect(decode('fc', 3)).toBe('ü')
  expect(decode('d83dde000041', 8)).toBe('😀A')
  expect([decode('00', 0x10), decode('0041', 0x18), decode('00', 0xf0)]).toEqual(['@', 'A', '@'])
  expect([decode('00ff', 4), decode('00ff', 0xf5), decode('00ff', 0x14)]).toEqual(['00ff', '00ff', '00ff'])
})

test('what no handset can show is damage', () => {
  expect(decodeText(Buffer.from([0x41, 0x80]), 0, unpacked)).toBe('A\uFFFD')
  expect(decodeText(Buffer.from([0x41, 0x1b]), 0, unpacked)).toBe('A\uFFFD')
  expect(decodeText(Buffer.from([0x1b, 0x41]), 0, unpacked)).toBe('\uFFFD')
  expect(decodeText(Buffer.from('d83d', 'hex'), 8, unpacked)).toBe('\uFFFD')
  expect(decodeText(Buffer.from('004100', 'hex'), 8, unpacked)).toBe('A\uFFFD')
})

test('parts are joined in any order, by both headers, by SAR, and past other elements', () => {
  const udh = (header: string, text: string): SubmitRecord => submitOf(ascii(text), { udh: header })
  const sar = (number: number, text: string): SubmitRecord =>
    submitOf(ascii(text), {
      tlvs: { sar_msg_ref_num: 3, sar_total_segments: 2, sar_segment_seqnum: number },
    })
  const { texts, ...rest } = reassemble([
    part(3, 3, 2, 'two '),
    udh('06080400030201', 'six'),
    sar(2, 'SAR'),
    part(3, 3, 3, 'three'),
    udh('06080400030202', 'teen'),
    part(3, 3, 1, 'one '),
    sar(1, 'by '),
    udh('0b05040b8423f00003030201', 'be'),
    udh('0b05040b8423f00003030202', 'fore'),
    submitOf('', { tlvs: { message_payload: ascii('pay') } }),
    submitOf('', {
      udh: '0500030a0201',
      shortMessage: '',
      tlvs: { message_payload: '0500030a0201' + ascii('lo') },
    }),
    submitOf('', {
      udh: '0500030a0202',
      shortMessage: '',
      tlvs: { message_payload: '0500030a0202' + ascii('ad') },
    }),
  ])
  expect(texts.map(({ text }) => text)).toEqual([
    'sixteen',
    'one two three',
    'by SAR',
    'before',
    'pay',
    'load',
  ])
  expect(rest).toEqual({ incomplete: [], repeated: [], wrong: [] })
})

test('texts that arrive mixed are told apart by reference, method, recipient and number of parts', () => {
  const eight = (reference: string) => `050003${reference}02`
  const sixteen = (reference: string) => `060804${reference}02`
  const sar = (reference: number) => (number: string) => ({
    sar_msg_ref_num: reference,
    sar_total_segments: 2,
    sar_segment_seqnum: Number(number),
  })
  const other = { destination: '491700000000' }
  const kinds: ((number: string, text: string) => SubmitRecord)[] = [
    (number, text) => submitOf(ascii(text), { udh: `${eight('01')}${number}` }),
    (number, text) => submitOf(ascii(text), { udh: `${eight('02')}${number}` }),
    (number, text) => submitOf(ascii(text), { udh: `${eight('01')}${number}`, ...other }),
    (number, text) => submitOf(ascii(text), { udh: `${eight('01')}${number}`, source: 'BANK' }),
    (number, text) => submitOf(ascii(text), { udh: `${sixteen('0001')}${number}` }),
    (number, text) => submitOf(ascii(text), { udh: `${sixteen('0101')}${number}` }),
    (number, text) => submitOf(ascii(text), { tlvs: sar(1)(number) }),
    (number, text) => submitOf(ascii(text), { tlvs: sar(257)(number) }),
  ]
  const firsts = kinds.map((kind, index) => kind('01', `${index}a`))
  const seconds = kinds.map((kind, index) => kind('02', `${index}b`))
  const { texts, ...rest } = reassemble([...firsts, ...seconds, part(1, 3, 1, 'x')])
  expect(texts.map(({ text }) => text)).toEqual(kinds.map((_, index) => `${index}a${index}b`))
  expect(rest).toMatchObject({ incomplete: [{ total: 3 }], repeated: [], wrong: [] })
})

test('a header that cannot be, a part out of range and an SMS without room are wrong', () => {
  const why = (record: SubmitRecord): (string | undefined)[] =>
    reassemble([record]).wrong.map((each) => each.why)
  expect(why(submitOf('', { udh: '0500030102' }))).toEqual(['a user data header longer than the message'])
  expect(why(submitOf('', { udh: '03000501' }))).toEqual(['an element longer than its header'])
  expect(why(part(1, 2, 3, 'x'))).toEqual(['part 3 of 2'])
  expect(why(part(1, 2, 0, 'x'))).toEqual(['part 0 of 2'])
  expect(why(submitOf('', { tlvs: { sar_msg_ref_num: 1 } }))).toEqual(['a SAR TLV is missing'])
  expect(why(submitOf('41', { tlvs: { message_payload: '41' } }))).toEqual([
    'short_message and message_payload',
  ])
  expect(why(submitOf('41'.repeat(160)))).toEqual([])
  expect(why(submitOf('41'.repeat(161)))).toEqual(['161 octets where there is room for 160'])
  expect(why(part(1, 1, 1, 'x'.repeat(153)))).toEqual([])
  expect(why(part(1, 1, 1, 'x'.repeat(154)))).toEqual(['154 octets where there is room for 153'])
  expect(why(submitOf('00'.repeat(141), { dcs: 8 }))).toEqual(['141 octets where there is room for 140'])
})

const meant = [
  { to: '+491511234567', text: 'one' },
  { to: '+491511234567', text: 'two' },
]

test('all is well when each text that was meant arrived once', () => {
  expect(judgeTexts(meant, [part(1, 2, 1, 't'), submitOf(ascii('one')), part(1, 2, 2, 'wo')])).toEqual({
    lost: [],
    twice: [],
    strange: [],
    incomplete: [],
    repeated: [],
    wrong: [],
    inexact: [],
  })
})

test('a text that is lost, refused, doubled, damaged or inexact is found', () => {
  const one = submitOf(ascii('one'))
  expect(judgeTexts(meant, [one]).lost).toEqual([meant[1]])
  expect(judgeTexts(meant, [one, { ...submitOf(ascii('two')), taken: false }]).lost).toEqual([meant[1]])
  expect(judgeTexts(meant, [one, one]).twice.map(({ text }) => text)).toEqual(['one'])
  expect(judgeTexts(meant, [submitOf(ascii('0ne'))]).strange.map(({ text }) => text)).toEqual(['0ne'])
  expect(judgeTexts(meant, [submitOf(ascii('one'), { destination: '49' })]).strange).toHaveLength(1)
  expect(judgeTexts(meant, [{ ...one, exact: false }]).inexact).toHaveLength(1)
})

test('a part that is lost, doubled, or joined to a text of the same reference is found', () => {
  expect(judgeTexts(meant, [part(1, 2, 1, 't')]).incomplete).toMatchObject([{ total: 2, to: '491511234567' }])
  expect(
    judgeTexts(meant, [part(1, 2, 1, 't'), part(1, 2, 1, 't'), part(1, 2, 2, 'wo')]).repeated,
  ).toHaveLength(1)
  const again = [part(1, 2, 1, 't'), part(1, 2, 2, 'wo'), part(1, 2, 2, 'wo')]
  expect(judgeTexts(meant, again).incomplete).toHaveLength(1)
  const mixed = judgeTexts(meant, [part(1, 2, 1, 'a'), part(1, 2, 1, 'b'), part(1, 2, 2, 'c')])
  expect([mixed.repeated.length, mixed.strange.length]).toEqual([1, 1])
})

test('half a character at the edge of a part is damage, though the next part has the other half', () => {
  const ucs2 = (number: number, hex: string): SubmitRecord =>
    submitOf(hex, { dcs: 8, udh: `0500030902${number.toString().padStart(2, '0')}` })
  expect(reassemble([ucs2(1, 'd83d'), ucs2(2, 'de00')]).texts[0]?.text).toBe('\uFFFD\uFFFD')
  const escape = [part(4, 2, 1, 'A\u001B'), part(4, 2, 2, 'e')]
  expect(reassemble(escape).texts[0]?.text).toBe('A\uFFFDe')
})

test('no peer imports anything of the program, or anything that may', () => {
  const folder = join(import.meta.dirname, '..', 'peers')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  expect(files).toContain(join('smsc', 'smsc-link.ts'))
  const outside = files.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/from '([^']+)'/g)]
      .map(([, target = '']) => target)
      .filter((target) => !target.startsWith('node:') && target !== 'smpp')
      .filter((target) => !target.startsWith('.') || join(name, '..', target).startsWith('..')),
  )
  expect(outside).toEqual([])
})
