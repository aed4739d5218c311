import { expect, test } from 'vitest'
import { readIncoming } from '../../src/connectors/modem/pdu/incoming-pdu.ts'
import { inboundOf } from '../../src/connectors/modem/receive/inbound.ts'
import { readPieces } from '../../src/sms/coded-text.ts'

function inbound(hex: string) {
  const tpdu = Buffer.from(hex.replaceAll(' ', ''), 'hex')
  const sms = readIncoming(tpdu)
  if (sms.kind !== 'deliver') throw new Error('no SMS')
  return inboundOf(sms, tpdu)
}

test('27: an SMS has sender, text and the time of the network', () => {
  // unit/test-sms.c of oFono, `simple_deliver`.
  const hex = '040B911346610089F60000208062917314480CC8F71D14969741F977FD07'
  expect(inbound(hex)).toMatchObject({
    from: '+31641600986',
    to: null,
    text: 'How are you?',
    networkAt: Date.UTC(2002, 7, 26, 20, 37, 41),
  })
  expect(inbound(hex)).not.toHaveProperty('fragment')
  expect(inbound(hex)).not.toHaveProperty('fromIs')
})

test('18: a copy of an SMS has its fingerprint, and the same text a second later has another', () => {
  const at = (second: string): string => {
    const sms = inbound(`04 0A 91 7121436587 00 08 80803121702240`.replace('22', second) + '02 0041')
    return typeof sms === 'string' ? sms : sms.fingerprint
  }
  expect(at('22')).toBe(at('22'))
  expect(at('22')).not.toBe(at('32'))
})

test.for([
  ['A1', 'national'],
  ['B1', 'other'],
  ['C1', 'other'],
  ['E1', 'other'],
] as const)('27: a sender of type %s is %s', ([type, fromIs]) => {
  expect(inbound(`04 0A ${type} 7121436587 00 00 80803121702240 00`)).toMatchObject({ fromIs })
})

test('27: pieces are passed on as units, so that a pair may be cut between two', () => {
  const grinning = Buffer.from('😀', 'utf16le').swap16().toString('hex')
  const piece = (number: string, octets: string) =>
    inbound(`44 0A 91 7121436587 00 08 80803121702240 08 050003 2A02${number} ${octets}`)
  const [first, second] = [piece('01', grinning.slice(0, 4)), piece('02', grinning.slice(4))]
  if (typeof first === 'string' || typeof second === 'string') throw new Error('no SMS')
  expect(first.fragment).toMatchObject({ reference: 0x2a, total: 2, index: 1 })
  const coded = [first, second].map(({ fragment }) => fragment?.coded ?? null)
  expect(readPieces(coded)).toBe('😀')
})

test('27: concatenation may be of 16 bits, and follow other elements', () => {
  const sms = inbound('44 0A 91 7121436587 00 08 80803121702240 0C 09 24 01 01 08 04 1234 0302 0041')
  expect(sms).toMatchObject({ fragment: { reference: 0x1234, total: 3, index: 2 } })
})

test('27: WAP push and type 0 are none for a person', () => {
  expect(inbound('44 0A 91 7121436587 00 F5 80803121702240 08 06 05 04 0B84 23F0 01')).toBe('wap_push')
  expect(inbound('04 0A 91 7121436587 40 00 80803121702240 00')).toBe('type_0')
})

test('27: another port, and 8-bit data, are shown in hexadecimal', () => {
  expect(inbound('44 0A 91 7121436587 00 08 80803121702240 09 06 05 04 1F90 1F90 0041')).toMatchObject({
    text: '0041',
  })
  expect(inbound('04 0A 91 7121436587 00 04 80803121702240 03 00FF17')).toMatchObject({ text: '00ff17' })
})
