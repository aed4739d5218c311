import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodePdu } from '../../src/smpp/codec/decode-pdu.ts'
import { encodePdu, roomFor } from '../../src/smpp/codec/encode-pdu.ts'
import { commandStatus, type MessageFields, type Pdu, tlvTags } from '../../src/smpp/codec/pdu.ts'
import { anyPdu, bytesOf, mutatedPdu, octets } from './pdu-arbitraries.ts'

const message: MessageFields = {
  serviceType: '',
  source: { ton: 5, npi: 0, address: 'onesixty' },
  destination: { ton: 1, npi: 1, address: '491701234567' },
  esmClass: 0,
  protocolId: 0,
  priorityFlag: 0,
  scheduleDeliveryTime: '',
  validityPeriod: '000001000000000R',
  registeredDelivery: 1,
  replaceIfPresent: 0,
  dataCoding: 0,
  defaultMessageId: 0,
  shortMessage: Buffer.from('hello'),
  tlvs: [],
}
const decode = (bytes: Buffer) => decodePdu(bytes, 0, bytes.length)

/** A PDU of any command id and body. */
function frame(commandId: number, body: Uint8Array, status = 0): Buffer {
  const bytes = Buffer.alloc(16 + body.length)
  bytes.writeUInt32BE(bytes.length, 0)
  bytes.writeUInt32BE(commandId, 4)
  bytes.writeUInt32BE(status, 8)
  bytes.writeUInt32BE(7, 12)
  bytes.set(body, 16)
  return bytes
}

test('what is written is read again, wherever it lies', () => {
  fc.assert(
    fc.property(anyPdu, fc.nat(50), (pdu, before) => {
      const sink = { bytes: Buffer.alloc(before + roomFor(pdu)), at: before, fault: null }
      expect(encodePdu(sink, pdu)).toBeNull()
      expect(sink.bytes.readUInt32BE(before)).toBe(sink.at - before)
      const decoded = decodePdu(sink.bytes, before, sink.at)
      expect(decoded).toEqual(pdu)
    }),
    { numRuns: 2_000 },
  )
})

test('any octets behind a header are a PDU or a refusal that names its sequence, never an exception', () => {
  const anyFrame = fc
    .tuple(fc.constantFrom(4, 5, 9, 0x15, 0x21, 0x102, 0x103), fc.boolean(), octets(300), fc.nat(300))
    .map(([id, isResponse, body, status]) => frame(isResponse ? id + 0x8000_0000 : id, body, status))
  fc.assert(
    fc.property(fc.oneof(anyFrame, mutatedPdu), (bytes) => {
      const decoded = decode(bytes)
      expect(decoded.sequence).toBe(bytes.readUInt32BE(12))
      expect(decoded.status).toBe(bytes.readUInt32BE(8))
    }),
    { numRuns: 5_000 },
  )
})

test('a PDU is read from its own octets alone', () => {
  fc.assert(
    fc.property(mutatedPdu, octets(40), (bytes, next) => {
      const alone = decode(bytes)
      expect(decodePdu(Buffer.concat([bytes, next]), 0, bytes.length)).toEqual(alone)
    }),
    { numRuns: 2_000 },
  )
})

test('an error response may have no body, and one that ends in what makes no sense', () => {
  const status = commandStatus.ESME_RTHROTTLED
  const answer = { command: 'submit_sm_resp', status, sequence: 7 }
  expect(decode(frame(0x8000_0004, Buffer.alloc(0), status))).toEqual({ ...answer, body: null })
  expect(decode(frame(0x8000_0004, Buffer.from([0x61, 0x00, 0xff]), status))).toEqual({
    ...answer,
    body: { messageId: 'a', tlvs: [] },
    rest: 'a TLV is cut',
  })
})

test('a message id without its NUL, and zeros behind the last field, do no harm', () => {
  expect(decode(frame(0x8000_0004, Buffer.from('abc')))).toMatchObject({
    body: { messageId: 'abc', tlvs: [] },
  })
  expect(decode(frame(0x8000_0004, Buffer.from('abc\0\0\0')))).toMatchObject({
    body: { messageId: 'abc', tlvs: [] },
  })
})

test('unknown and repeated TLVs are kept in their order', () => {
  const tlvs = [
    { tag: 0x1400, value: Buffer.from('entity') },
    { tag: tlvTags.message_payload, value: Buffer.from('text') },
    { tag: 0x1400, value: Buffer.alloc(0) },
  ]
  const pdu: Pdu = { command: 'deliver_sm', status: 0, sequence: 1, body: { ...message, tlvs } }
  expect(decode(bytesOf(pdu))).toEqual(pdu)
})

const cutPayload = Buffer.from([0x04, 0x24, 0x00, 0x09, 0x41])

test('a body that does not parse is refused with its command and its sequence', () => {
  const octetsOf = (body: MessageFields) =>
    bytesOf({ command: 'deliver_sm', status: 0, sequence: 7, body }).subarray(16)
  const whole = octetsOf(message)
  const textless = octetsOf({ ...message, shortMessage: Buffer.alloc(0) })
  const cut = Buffer.from([0x14, 0x01, 0x00, 0x20, 0x61])
  for (const body of [
    whole.subarray(0, 20),
    whole.subarray(0, -1),
    // The text may be what was cut.
    Buffer.concat([textless, cutPayload]),
    Buffer.concat([textless, cut, cutPayload]),
  ])
    expect(decode(frame(5, body))).toMatchObject({ command: 'malformed', claimed: 'deliver_sm', sequence: 7 })
})

test.for([
  ['a text that is whole in message_payload', tlvTags.message_payload, 'text'],
  ['the id of a receipt without a text', tlvTags.receipted_message_id, '7\0'],
] as const)('a cut TLV behind %s does no harm', ([, tag, value]) => {
  const tlvs = [{ tag, value: Buffer.from(value) }]
  const deliver: Pdu = {
    command: 'deliver_sm',
    status: 0,
    sequence: 7,
    body: { ...message, shortMessage: Buffer.alloc(0), tlvs },
  }
  const cut = Buffer.concat([bytesOf(deliver).subarray(16), Buffer.from([0x14, 0x01, 0x00, 0x20])])
  expect(decode(frame(5, cut))).toEqual({ ...deliver, rest: 'a TLV is longer than the PDU' })
})

test.for([
  ['a TLV is longer than the PDU', [0x14, 0x01, 0x00, 0x20, 0x61, 0x62]],
  ['a TLV is longer than the PDU', [0x04, 0x27, 0x00, 0x05, 0x02]],
  ['a TLV is longer than the PDU', [...cutPayload]],
  ['a TLV is cut', [0x04, 0x24]],
  ['a TLV is cut', [0x00, 0x00, 0x01]],
] as const)(
  '%s behind a whole mandatory part: what is whole counts, and the rest is noted: %j',
  ([rest, behind]) => {
    const tlvs = [{ tag: 0x1400, value: Buffer.from('entity') }]
    const deliver: Pdu = { command: 'deliver_sm', status: 0, sequence: 7, body: { ...message, tlvs } }
    const cut = Buffer.concat([bytesOf(deliver).subarray(16), Buffer.from(behind)])
    expect(decode(frame(5, cut))).toEqual({ ...deliver, rest })
    const answer = Buffer.concat([Buffer.from('ID\0'), Buffer.from(behind)])
    expect(decode(frame(0x8000_0004, answer))).toMatchObject({ body: { messageId: 'ID', tlvs: [] }, rest })
  },
)

test('a command that nobody knows keeps its id and its octets', () => {
  expect(decode(frame(0x0001_0200, Buffer.from('xyz')))).toEqual({
    command: 'unknown',
    commandId: 0x0001_0200,
    status: 0,
    sequence: 7,
    body: Buffer.from('xyz'),
  })
})

test('what does not fit its field is refused with its name, and nothing is written', () => {
  const submit = (changes: Partial<MessageFields>): Pdu => ({
    command: 'submit_sm',
    status: 0,
    sequence: 1,
    body: { ...message, ...changes },
  })
  const refused = (pdu: Pdu): string | null => {
    const sink = { bytes: Buffer.alloc(3 + roomFor(pdu)), at: 3, fault: null }
    const fault = encodePdu(sink, pdu)
    expect(sink.at).toBe(3)
    return fault
  }
  const to = (address: string) => submit({ destination: { ton: 1, npi: 1, address } })
  expect(refused(to('1'.repeat(21)))).toBe('destination is longer than 20 octets')
  expect(refused(to('1\u00002'))).toMatch(/^destination has a character/)
  expect(refused(to('€'))).toMatch(/^destination has a character/)
  expect(refused(submit({ esmClass: 256 }))).toBe('esmClass is no octet')
  expect(refused(submit({ priorityFlag: 0.5 }))).toBe('priorityFlag is no octet')
  expect(refused(submit({ shortMessage: Buffer.alloc(255) }))).toMatch(/^shortMessage is longer/)
  expect(refused(submit({ tlvs: [{ tag: 1, value: Buffer.alloc(0x1_0000) }] }))).toMatch(/^the TLV 1 /)
  expect(refused(submit({ tlvs: [{ tag: -1, value: Buffer.alloc(0) }] }))).toMatch(/^the TLV -1 /)
  expect(refused({ ...submit({}), sequence: 2 ** 32 })).toMatch(/^the sequence number/)
  expect(refused({ command: 'data_sm', status: 0, sequence: 1, body: message })).toMatch(
    /^data_sm has no field/,
  )
})
