import fc from 'fast-check'
import { encodePdu, roomFor } from '../../src/smpp/codec/encode-pdu.ts'
import type { Address, Bodies, Command, MessageFields, Pdu } from '../../src/smpp/codec/pdu.ts'

/** The bytes of a PDU that the codec takes. */
export function bytesOf(pdu: Pdu): Buffer {
  const sink = { bytes: Buffer.alloc(roomFor(pdu)), at: 0, fault: null }
  const fault = encodePdu(sink, pdu)
  if (fault !== null) throw new Error(fault)
  return sink.bytes.subarray(0, sink.at)
}

export const octets = (maxLength: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes))

/** Text of at most `most` octets without NUL. */
const text = (most: number): fc.Arbitrary<string> =>
  fc
    .array(fc.integer({ min: 1, max: 0xff }), { maxLength: most })
    .map((codes) => String.fromCharCode(...codes))

const octet = fc.nat(0xff)
const uint32 = fc.nat(0xffff_ffff)
const tlvs = fc.array(fc.record({ tag: fc.nat(0xffff), value: octets(80) }), { maxLength: 4 })
const addressOf = (most: number): fc.Arbitrary<Address> =>
  fc.record({ ton: octet, npi: octet, address: text(most) })
const address = addressOf(20)
const messageId = text(64)

const messageFields: fc.Arbitrary<MessageFields> = fc.record({
  serviceType: text(5),
  source: address,
  destination: address,
  esmClass: octet,
  protocolId: octet,
  priorityFlag: octet,
  scheduleDeliveryTime: text(16),
  validityPeriod: text(16),
  registeredDelivery: octet,
  replaceIfPresent: octet,
  dataCoding: octet,
  defaultMessageId: octet,
  shortMessage: octets(254),
  tlvs,
})

const dataFields: fc.Arbitrary<MessageFields> = fc
  .tuple(messageFields, addressOf(64), addressOf(64))
  .map(([fields, source, destination]) => ({
    ...fields,
    source,
    destination,
    protocolId: 0,
    priorityFlag: 0,
    scheduleDeliveryTime: '',
    validityPeriod: '',
    replaceIfPresent: 0,
    defaultMessageId: 0,
    shortMessage: Buffer.alloc(0),
  }))

const bind = fc.record({
  systemId: text(64),
  password: text(64),
  systemType: text(64),
  interfaceVersion: octet,
  addressRange: addressOf(40),
})
const orNone = <T>(body: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(body)
const bindResult = orNone(fc.record({ systemId: text(64), tlvs }))
const messageResult = orNone(fc.record({ messageId, tlvs }))
const none = fc.constant(null)

const bodies: { [C in Command]: fc.Arbitrary<Bodies[C]> } = {
  bind_receiver: bind,
  bind_receiver_resp: bindResult,
  bind_transmitter: bind,
  bind_transmitter_resp: bindResult,
  bind_transceiver: bind,
  bind_transceiver_resp: bindResult,
  outbind: fc.record({ systemId: text(64), password: text(64) }),
  unbind: none,
  unbind_resp: none,
  submit_sm: messageFields,
  submit_sm_resp: messageResult,
  submit_multi_resp: orNone(
    fc.record({
      messageId,
      unsuccessful: fc.array(fc.record({ address, status: uint32 }), { maxLength: 5 }),
      tlvs,
    }),
  ),
  deliver_sm: messageFields,
  deliver_sm_resp: messageResult,
  data_sm: dataFields,
  data_sm_resp: messageResult,
  query_sm: fc.record({ messageId, source: address }),
  query_sm_resp: orNone(fc.record({ messageId, finalDate: text(16), messageState: octet, errorCode: octet })),
  cancel_sm: fc.record({ serviceType: text(5), messageId, source: address, destination: address }),
  cancel_sm_resp: none,
  replace_sm: fc.record({
    messageId,
    source: address,
    scheduleDeliveryTime: text(16),
    validityPeriod: text(16),
    registeredDelivery: octet,
    defaultMessageId: octet,
    shortMessage: octets(254),
  }),
  replace_sm_resp: none,
  enquire_link: none,
  enquire_link_resp: none,
  alert_notification: fc.record({ source: addressOf(64), esme: addressOf(64), tlvs }),
  generic_nack: none,
}

const unknownPdu = fc.record({
  command: fc.constant('unknown' as const),
  commandId: fc.constantFrom(0, 0x21, 0x111, 0x200, 0x0001_0004, 0x7fff_ffff, 0x8000_0200, 0xffff_ffff),
  status: uint32,
  sequence: uint32,
  body: octets(60),
})

/** Every PDU that the codec writes. */
export const anyPdu: fc.Arbitrary<Pdu> = fc.oneof(
  unknownPdu,
  ...Object.entries(bodies).map(([command, body]) =>
    fc
      .record({ status: uint32, sequence: uint32, body: body as fc.Arbitrary<unknown> })
      .map((rest) => ({ command, ...rest }) as Pdu),
  ),
)

/** The bytes of a PDU with some of them changed, its length left true. */
export const mutatedPdu: fc.Arbitrary<Buffer> = fc
  .tuple(anyPdu, fc.array(fc.tuple(fc.nat(), fc.nat(0xff)), { maxLength: 6 }), fc.nat(40))
  .map(([pdu, changes, cut]) => {
    const whole = Buffer.from(bytesOf(pdu))
    const bytes = whole.subarray(0, Math.max(16, whole.length - cut))
    for (const [at, octetThere] of changes) {
      // Behind the length, and not the command id: most ids are unknown, and then there is nothing to mistake.
      const place = 8 + (at % (bytes.length - 8))
      bytes[place] = octetThere
    }
    bytes.writeUInt32BE(bytes.length)
    return bytes
  })
