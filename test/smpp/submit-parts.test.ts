import fc from 'fast-check'
import { expect, test } from 'vitest'
import { submitParts, type MessageSettings } from '../../src/connectors/smpp/submit/submit-parts.ts'
import { type MessageFields, tlvTags } from '../../src/smpp/codec/pdu.ts'
import type { Submission } from '../../src/connectors/connector.ts'
import { decodeGsm7 } from '../../src/sms/gsm7.ts'
import { referenceOfPart } from '../../src/sms/part-reference.ts'
import { measureText } from '../../src/sms/sms-text.ts'
import { anyText, EXTENSION_CHARACTERS, gsm7Text } from '../sms-samples.ts'
import { bytesOf } from './pdu-arbitraries.ts'

const plain: MessageSettings = {
  sourceTon: null,
  sourceNpi: null,
  destinationTon: null,
  destinationNpi: null,
  defaultSender: '',
  alphabet: 'gsm7',
  gsmPacking: 'unpacked',
  dataCoding: 0,
  concat: 'udh8',
  receipts: 'all',
  validity: 'relative',
  serviceType: '',
  protocolId: 0,
  userMessageReference: false,
  tlvs: [],
}
const nowMs = Date.UTC(2026, 10, 21, 6, 50, 7, 900)

function submission(text: string, changes: Partial<Submission> = {}): Submission {
  const { encoding, parts } = measureText(text, 'auto')
  return { attemptId: 'a', to: '+491701234567', from: 'onesixty', text, encoding, parts, category: 'transactional', validitySeconds: 93_784, ...changes } // prettier-ignore
}
const partsOf = (text: string, settings: Partial<MessageSettings> = {}, reference = 0x1234) =>
  submitParts(submission(text), { ...plain, ...settings }, () => reference, nowMs)

/** What a handset makes of the parts: written down here from the standards alone. */
function read(parts: readonly MessageFields[], settings: Partial<MessageSettings>): string {
  return parts
    .map((part) => {
      const payload = part.tlvs.find(({ tag }) => tag === tlvTags.message_payload)?.value
      const octets = Buffer.from(payload ?? part.shortMessage)
      const header = (part.esmClass & 0x40) === 0 ? 0 : octets[0]! + 1
      const body = octets.subarray(header)
      if (part.dataCoding === 8) return Buffer.from(body).swap16().toString('utf16le')
      if (settings.alphabet === 'latin1' || settings.alphabet === 'ascii') return body.toString('latin1')
      return decodeGsm7(settings.gsmPacking === 'packed' ? unpack(octets, header) : body)
    })
    .join('')
}

/** Bit by bit: septets begin at a multiple of seven bits, counted from the header; a CR that ends on an octet is padding. */
function unpack(octets: Buffer, header: number): Uint8Array {
  const bit = (at: number): number => (octets[at >> 3]! >> (at & 7)) & 1
  const septets: number[] = []
  for (let at = Math.ceil((header * 8) / 7) * 7; at + 7 <= octets.length * 8; at += 7)
    septets.push([0, 1, 2, 3, 4, 5, 6].reduce((sum, n) => sum | (bit(at + n) << n), 0))
  const isFull = (octets.length * 8) % 7 === 0
  return Uint8Array.from(isFull && septets.at(-1) === 0x0d ? septets.slice(0, -1) : septets)
}

const anySettings = fc.record({
  alphabet: fc.constantFrom('gsm7' as const, 'latin1' as const, 'ascii' as const),
  gsmPacking: fc.constantFrom('unpacked' as const, 'packed' as const),
  concat: fc.constantFrom('udh8' as const, 'udh16' as const, 'sar' as const, 'payload' as const),
})
const anySample = fc.oneof(
  gsm7Text,
  anyText,
  fc.string({ unit: fc.constantFrom('a', 'é', '€', 'Ω'), maxLength: 400 }),
)

test('the parts joined are the text, byte for byte', () => {
  fc.assert(
    fc.property(anySample, anySettings, (text, settings) => {
      fc.pre(settings.gsmPacking === 'unpacked' || !text.includes('\r'))
      expect(read(partsOf(text, settings), settings)).toBe(text)
    }),
    { numRuns: 2_000 },
  )
})

test('no part is longer than an SMS, and every part is a PDU', () => {
  fc.assert(
    fc.property(anySample, anySettings, fc.nat(0xffff), (text, settings, reference) => {
      for (const part of partsOf(text, settings, reference)) {
        const header = (part.esmClass & 0x40) === 0 ? 0 : part.shortMessage[0]! + 1
        const inOctets =
          part.dataCoding === 8 || (settings.gsmPacking === 'packed' && settings.alphabet === 'gsm7')
        // Septets that the SMSC packs: a header of 6 octets takes the room of 7, one of 7 that of 8.
        const septets =
          settings.alphabet === 'gsm7' ? part.shortMessage.length - header : septetsOf(part, header)
        if (inOctets) expect(part.shortMessage.length).toBeLessThanOrEqual(140)
        else expect(septets + Math.ceil((header * 8) / 7)).toBeLessThanOrEqual(160)
        expect(part.shortMessage.length).toBeLessThanOrEqual(254)
        expect(bytesOf({ command: 'submit_sm', status: 0, sequence: 1, body: part }).length).toBeGreaterThan(
          16,
        )
      }
    }),
    { numRuns: 1_000 },
  )
})

const septetsOf = (part: MessageFields, header: number): number =>
  [...part.shortMessage.subarray(header).toString('latin1')].reduce(
    (sum, character) => sum + (EXTENSION_CHARACTERS.includes(character) ? 2 : 1),
    0,
  )

test('as many parts go out as were priced', () => {
  fc.assert(
    fc.property(
      fc.oneof(gsm7Text, anyText),
      fc.constantFrom('udh8' as const, 'sar' as const),
      fc.constantFrom('unpacked' as const, 'packed' as const),
      (text, concat, gsmPacking) => {
        expect(partsOf(text, { concat, gsmPacking })).toHaveLength(measureText(text, 'auto').parts)
      },
    ),
    { numRuns: 1_000 },
  )
})

test('a 16-bit reference leaves room for 152 septets or 66 units, so a full text needs a part more', () => {
  expect(partsOf('x'.repeat(306))).toHaveLength(2)
  expect(
    partsOf('x'.repeat(306), { concat: 'udh16' }).map(({ shortMessage }) => shortMessage.length),
  ).toEqual([159, 159, 9])
  expect(
    partsOf('я'.repeat(134), { concat: 'udh16' }).map(({ shortMessage }) => shortMessage.length),
  ).toEqual([139, 139, 11])
  expect(partsOf('x'.repeat(304), { concat: 'udh16' })).toHaveLength(2)
})

test('no part ends inside an escape pair or a surrogate pair', () => {
  const euros = partsOf('€'.repeat(100), {}).map(({ shortMessage }) => shortMessage)
  expect(euros.map((octets) => octets.length - 6)).toEqual([152, 48])
  expect(euros[0]!.at(-1)).toBe(0x65)
  const faces = partsOf('😀'.repeat(40), {}).map(({ shortMessage }) => shortMessage)
  expect(faces.map((octets) => octets.length - 6)).toEqual([132, 28])
})

test('what fits one SMS has no header and no TLV of its own, whatever joins longer ones', () => {
  fc.assert(
    fc.property(fc.constantFrom('x'.repeat(160), 'я'.repeat(70), 'ok'), anySettings, (text, settings) => {
      const [part, ...others] = partsOf(text, settings)
      expect(others).toEqual([])
      expect(part).toMatchObject({ esmClass: 0, tlvs: [] })
    }),
  )
})

test('headers and TLVs name the reference, the total and the place', () => {
  const long = 'x'.repeat(200)
  const heads = (concat: MessageSettings['concat'], length: number) =>
    partsOf(long, { concat }).map(({ shortMessage }) => shortMessage.toString('hex', 0, length))
  expect(heads('udh8', 6)).toEqual(['050003340201', '050003340202'])
  expect(heads('udh16', 7)).toEqual(['06080412340201', '06080412340202'])
  expect(partsOf(long, { concat: 'sar' })[1]).toMatchObject({
    esmClass: 0,
    tlvs: [
      { tag: 0x20c, value: Buffer.from([0x12, 0x34]) },
      { tag: 0x20e, value: Buffer.from([2]) },
      { tag: 0x20f, value: Buffer.from([2]) },
    ],
  })
})

test('as payload a long text is one part with an empty short message', () => {
  const [part, ...others] = partsOf('x'.repeat(200), { concat: 'payload' })
  expect(others).toEqual([])
  expect(part).toMatchObject({ esmClass: 0, shortMessage: Buffer.alloc(0) })
  expect(part!.tlvs).toEqual([{ tag: 0x424, value: Buffer.from('x'.repeat(200)) }])
})

test('a text that the default alphabet of the link lacks goes as UCS-2 as a whole', () => {
  expect(partsOf('10 €', { alphabet: 'latin1' })[0]).toMatchObject({ dataCoding: 8 })
  expect(partsOf('né', { alphabet: 'latin1', dataCoding: 3 })[0]).toMatchObject({
    dataCoding: 3,
    shortMessage: Buffer.from([0x6e, 0xe9]),
  })
  expect(partsOf('né', { alphabet: 'ascii', dataCoding: 1 })[0]).toMatchObject({ dataCoding: 8 })
  expect(partsOf('@_$', {})[0]).toMatchObject({
    dataCoding: 0,
    shortMessage: Buffer.from([0x00, 0x11, 0x02]),
  })
  expect(partsOf('@_$', { alphabet: 'ascii' })[0]!.shortMessage.toString('latin1')).toBe('@_$')
})

test('packed septets are those of other programs', () => {
  const packed = (text: string) => partsOf(text, { gsmPacking: 'packed' })[0]!.shortMessage.toString('hex')
  expect(packed('hellohello')).toBe('e8329bfd4697d9ec37')
  expect(packed('Hello {world} 12€')).toBe('c8329bfd066d50f7b79c4ddea44031d9a60c')
  // Seven septets leave seven bits, which a CR fills.
  expect(packed('1234567')).toBe('31d98c56b3dd1a')
  expect(
    partsOf('x'.repeat(306), { gsmPacking: 'packed' }).map(({ shortMessage }) => shortMessage.length),
  ).toEqual([140, 140])
})

test('the rest of the validity goes along as the link wants it', () => {
  const validity = (form: MessageSettings['validity'], validitySeconds: number) =>
    submitParts(submission('ok', { validitySeconds }), { ...plain, validity: form }, () => 0, nowMs)[0]!
      .validityPeriod
  expect(validity('relative', 93_784)).toBe('000001020304000R')
  expect(validity('relative', 1)).toBe('000000000001000R')
  expect(validity('relative', 40 * 86_400)).toBe('000030000000000R')
  expect(validity('absolute', 93_784)).toBe('261122085311000+')
  expect(validity('none', 1)).toBe('')
})

test('codes have priority, receipts are asked for as set, and what the link adds goes with every part', () => {
  const settings = {
    ...plain,
    receipts: 'failures' as const,
    serviceType: 'CMT',
    protocolId: 1,
    tlvs: [{ tag: 0x1400, value: Buffer.from('01') }],
  }
  const parts = submitParts(
    submission('x'.repeat(200), { category: 'authentication' }),
    settings,
    () => 0,
    nowMs,
  )
  expect(parts).toHaveLength(2)
  for (const part of parts)
    expect(part).toMatchObject({ priorityFlag: 1, registeredDelivery: 2, serviceType: 'CMT', protocolId: 1, tlvs: settings.tlvs }) // prettier-ignore
  expect(partsOf('ok', { receipts: 'all' })[0]).toMatchObject({ registeredDelivery: 1, priorityFlag: 0 })
  expect(partsOf('ok', { receipts: 'none' })[0]).toMatchObject({ registeredDelivery: 0 })
})

test('each part carries a number of its own, the same for the same attempt, unless the operator has set one', () => {
  const referencesOf = (attemptId: string, settings: Partial<MessageSettings> = {}) =>
    submitParts(
      submission('x'.repeat(400), { attemptId }),
      { ...plain, userMessageReference: true, ...settings },
      () => 0,
      nowMs,
    ).map(({ tlvs }) =>
      tlvs.filter(({ tag }) => tag === 0x0204).map(({ value }) => Buffer.from(value).readUInt16BE()),
    )
  const first = referencesOf('att_01')
  expect(first).toEqual([0, 1, 2].map((part) => [referenceOfPart('att_01', part)]))
  expect(new Set(first.flat()).size).toBe(3)
  expect(referencesOf('att_01')).toEqual(first)
  expect(referencesOf('att_02')).not.toEqual(first)
  expect(referencesOf('att_01', { userMessageReference: false })).toEqual([[], [], []])
  const own = { tlvs: [{ tag: 0x0204, value: Buffer.of(0, 7) }] }
  expect(referencesOf('att_01', own)).toEqual([[7], [7], [7]])
})

test('more parts than a total can say are refused', () => {
  expect(() => partsOf('x'.repeat(153 * 256))).toThrow('256 parts')
})
