import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeSubmit, type SubmitFields } from '../../src/connectors/modem/pdu/submit-pdu.ts'
import { encodeValidity } from '../../src/connectors/modem/pdu/validity.ts'
import { type Concat, pduParts } from '../../src/connectors/modem/submit/pdu-parts.ts'
import { unpackSeptets } from '../../src/sms/septets.ts'
import { measureText } from '../../src/sms/sms-text.ts'
import { type GoJudge, hasGoJudge, hasPythonJudges, type PythonJudges, startGoJudge, startPythonJudges } from '../peers/sms-judges.ts' // prettier-ignore
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { anyText, gsm7Text } from '../sms-samples.ts'

const fields: SubmitFields = {
  serviceCentre: null,
  to: '+46708251358',
  header: Buffer.alloc(0),
  text: 'hellohello',
  encoding: 'gsm7',
  validity: { format: 0x10, octets: Buffer.from([0xaa]) },
  asksForReport: false,
}

test('19: a PDU is the one that is in every text book', () => {
  // unit/test-sms.c of oFono has it as `simple_submit`, with its length of 23; it is from dreamfabric.com/sms.
  expect(encodeSubmit(fields)).toEqual({
    hex: '0011000B916407281553F80000AA0AE8329BFD4697D9EC37',
    length: 23,
  })
})

test('19: septets are packed as by gammu, gnokii and two libraries in Python', () => {
  // Each of their encoders gives these octets, 0x14 septets long, for this text: design of this connector, section 7.
  const { hex } = encodeSubmit({ ...fields, text: 'Hello {world} 12€' })
  expect(hex).toBe('0011000B916407281553F80000AA14C8329BFD066D50F7B79C4DDEA44031D9A60C')
})

test.for([
  ['a service centre is written before the PDU, and not counted', { serviceCentre: '+491710760000' }, '07919471016700001100', 23],
  ['a report is requested by TP-SRR', { asksForReport: true }, '003100', 23],
  ['a header is announced by TP-UDHI', { header: Buffer.from([5, 0, 3, 7, 2, 1]) }, '005100', 29],
  ['an absolute validity is announced as such', { validity: encodeValidity('absolute', 3600, Date.UTC(2026, 10, 27, 22, 55, 41)) }, '001900', 29],
  ['none is announced as none', { validity: encodeValidity('none', 3600, 0) }, '000100', 22],
  ['a short recipient is of an unknown type', { to: '72404' }, '00110005812704F4', 20],
] as const)('19: %s', ([, given, start, length]) => {
  const pdu = encodeSubmit({ ...fields, ...given })
  expect(pdu.hex.startsWith(start)).toBe(true)
  expect(pdu.length).toBe(length)
}) // prettier-ignore

test('19: what is no number, and what is longer than an SMS, is refused', () => {
  for (const to of ['', '+', 'Telekom', '+49 171', '123456789012345678901'])
    expect(() => encodeSubmit({ ...fields, to })).toThrow(RangeError)
  expect(encodeSubmit({ ...fields, text: 'x'.repeat(160) }).length).toBe(14 + 140)
  expect(() => encodeSubmit({ ...fields, text: 'x'.repeat(161) })).toThrow(RangeError)
  expect(() => encodeSubmit({ ...fields, text: 'x'.repeat(71), encoding: 'ucs2' })).toThrow(RangeError)
})

const message = fc.record({
  text: fc.oneof(gsm7Text, anyText),
  concat: fc.constantFrom<Concat>('udh8', 'udh16'),
  reference: fc.nat({ max: 0xffff }),
  to: fc.bigInt({ min: 10_000_000n, max: 999_999_999_999_999n }).map((number) => `+${number}`),
  seconds: fc.integer({ min: 1, max: 70 * 7 * 86_400 }),
  asksForReport: fc.boolean(),
})

/** Generated messages with their parts, and the PDU of each. */
const sampleMessages = (count: number) =>
  fc
    .sample(message, count)
    .map((each) => ({ ...each, text: each.text.toWellFormed() }))
    .filter(({ text }) => text !== '')
    .map((each) => {
      const { text, concat, reference, to, seconds, asksForReport } = each
      const { encoding } = measureText(text, 'auto')
      const validity = encodeValidity('relative', seconds, 0)
      const parts = pduParts({ text, encoding }, concat, () => reference)
      const pdus = parts.map((part) => encodeSubmit({ ...part, serviceCentre: null, to, validity, asksForReport }).hex) // prettier-ignore
      return { ...each, parts, pdus }
    })

describe.skipIf(!hasGoJudge())('19: as another codec reads it (warthog618/sms, in Go)', () => {
  let go: GoJudge
  beforeAll(() => {
    go = startGoJudge()
  })
  afterAll(() => go.stop())

  test(
    'each of many generated texts reads alike, part for part and joined',
    async () => {
      const messages = sampleMessages(sizeOf('MODEM_TEXTS'))
      const judged = await Promise.all(messages.map(({ pdus }) => go.judge(pdus, 'mo')))
      messages.forEach(({ text, concat, reference, to, seconds, asksForReport, pdus }, index) => {
        const { length } = pdus
        const partReference = length === 1 ? 0 : concat === 'udh8' ? reference & 0xff : reference
        const said = judged[index]
        expect(said).toMatchObject({
        text,
        parts: pdus.map((_, part) => ({ kind: 'submit', number: to, pid: 0, reference: 0, smsc: '', total: length, part: part + 1, partReference })),
      }) // prettier-ignore
        expect(said?.error).toBeUndefined()
        for (const { firstOctet, validitySeconds } of said?.parts ?? []) {
          expect((firstOctet & 0x20) !== 0).toBe(asksForReport)
          expect(validitySeconds).toBeLessThanOrEqual(seconds)
        }
      })
    },
    endAfter(60_000),
  )
})

describe.skipIf(!hasPythonJudges())('19: as a codec in Python reads it (smspdudecoder 2.2.0)', () => {
  let python: PythonJudges
  beforeAll(() => {
    python = startPythonJudges()
  })
  afterAll(() => python.stop())

  // python-messaging 0.5.13 does not read what a modem sends.
  test(
    'each part reads alike, but where it counts letters in the place of septets',
    async () => {
      const faults = { spareBits: 0, escapeInHeader: 0 }
      for (const { to, parts, pdus } of sampleMessages(Math.ceil(sizeOf('MODEM_TEXTS') / 5))) {
        for (const [index, pdu] of pdus.entries()) {
          const { text, header, encoding } = parts[index] as (typeof parts)[number]
          const isGsm7 = encoding === 'gsm7'
          // Septets of the header are letters, too: with an escape among them it takes a letter of the text for one of them.
          const ofHeader = unpackSeptets(header, 0, Math.ceil((header.length * 8) / 7))
          const hasEscape = isGsm7 && ofHeader.includes(0x1b)
          // An escape is one letter less: seven bits behind the last septet are then in the text, as an @.
          const isShorter = hasEscape || septetsIn(text) > text.length
          const hasSpareBits = isGsm7 && isShorter && udlOf(Buffer.from(pdu, 'hex'), to) % 8 === 7
          if (hasSpareBits) faults.spareBits += 1
          if (hasEscape) faults.escapeInHeader += 1
          const said = await python.judge('smspdudecoder', pdu, 'mo')
          expect(said.number).toBe(to)
          expect(said.text).toBe(`${hasEscape ? text.slice(1) : text}${hasSpareBits ? '@' : ''}`)
        }
      }
      expect(faults.spareBits).toBeGreaterThan(0)
    },
    endAfter(60_000),
  )
})

const septetsIn = (text: string): number => measureText(text, 'auto').units

/** TP-UDL: before it are five octets, the address, TP-PID, TP-DCS, and TP-VP as one octet or as seven (3GPP TS 23.040, 9.2.3.12). */
const udlOf = (pdu: Buffer, to: string): number => {
  const vp = 5 + Math.ceil((to.length - 1) / 2) + 2
  return pdu[vp + (((pdu[1] ?? 0) & 0x18) === 0x10 ? 1 : 7)] ?? 0
}
