import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { encodeSubmit, type SubmitFields } from '../../src/connectors/modem/pdu/submit-pdu.ts'
import { encodeValidity } from '../../src/connectors/modem/pdu/validity.ts'
import { type Concat, pduParts } from '../../src/connectors/modem/submit/pdu-parts.ts'
import { measureText } from '../../src/sms/sms-text.ts'
import { buildJudge, hasJudge, judge } from '../peers/pdu-judge-peer.ts'
import { sizeOf } from '../proof-sizes.ts'
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

describe.skipIf(!hasJudge)('19: as another codec reads it (warthog618/sms, in Go)', () => {
  beforeAll(buildJudge)

  const message = fc.record({
    text: fc.oneof(gsm7Text, anyText),
    concat: fc.constantFrom<Concat>('udh8', 'udh16'),
    reference: fc.nat({ max: 0xffff }),
    to: fc.bigInt({ min: 10_000_000n, max: 999_999_999_999_999n }).map((number) => `+${number}`),
    seconds: fc.integer({ min: 1, max: 70 * 7 * 86_400 }),
    asksForReport: fc.boolean(),
  })

  test('each of many generated texts reads alike, part for part and joined', () => {
    const messages = fc
      .sample(message, sizeOf('MODEM_TEXTS'))
      .map((each) => ({ ...each, text: each.text.toWellFormed() }))
      .filter(({ text }) => text !== '')
    const encoded = messages.map(({ text, concat, reference, to, seconds, asksForReport }) => {
      const { encoding } = measureText(text, 'auto')
      const validity = encodeValidity('relative', seconds, 0)
      return pduParts({ text, encoding }, concat, () => reference).map((part) =>
        encodeSubmit({ ...part, serviceCentre: null, to, validity, asksForReport }),
      )
    })
    const read = judge(
      encoded.map((pdus) => ({ do: 'read', direction: 'mo', pdus: pdus.map(({ hex }) => hex) })),
    )
    messages.forEach(({ text, concat, reference, to, seconds, asksForReport }, index) => {
      const { length } = encoded[index] as unknown[]
      const places = Array.from({ length }, (_, part) => [length, part + 1]).flat()
      expect(read[index]).toMatchObject({
        type: 'SmsSubmit', text, to, report: asksForReport, pid: 0, mr: 0, centre: '',
        places: length === 1 ? null : places,
        reference: length === 1 ? 0 : concat === 'udh8' ? reference & 0xff : reference,
      }) // prettier-ignore
      expect(read[index]?.error).toBeUndefined()
      expect(read[index]?.seconds).toBeLessThanOrEqual(seconds)
    })
  })
})
