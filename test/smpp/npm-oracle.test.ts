import fc from 'fast-check'
import smpp from 'smpp'
import { expect, test } from 'vitest'
import { type Address, type MessageFields, type Pdu, type Tlv, tlvTags } from '../../src/smpp/codec/pdu.ts'
import { anyPdu, bytesOf } from './pdu-arbitraries.ts'

/**
 * A second opinion on the bytes: every PDU that the npm package writes too must come out the same from both. It writes no body with
 * an error status, no unknown command, and no TLV that it does not know.
 */
test('every PDU that the npm package writes has the same bytes from both', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(anyPdu, knownTlvs, fc.boolean(), (any, tlvs, isLong) => {
      const pdu = fitting(any, tlvs, isLong)
      fc.pre(pdu !== null && pdu.command !== 'unknown')
      const theirs = new smpp.PDU(pdu.command, { ...fieldsOf(pdu), sequence_number: pdu.sequence })
      expect(bytesOf(pdu).toString('hex')).toBe(theirs.toBuffer().toString('hex'))
      seen.add(pdu.command)
    }),
    { numRuns: 4_000 },
  )
  expect(seen.size).toBe(26)
})

test('an error answer is a header with both', () => {
  const theirs = new smpp.PDU('submit_sm_resp', { command_status: 0x58, sequence_number: 9 })
  const ours = bytesOf({ command: 'submit_sm_resp', status: 0x58, sequence: 9, body: null })
  expect(ours).toEqual(theirs.toBuffer())
})

const numberTlvs = {
  user_message_reference: 2,
  source_port: 2,
  sar_msg_ref_num: 2,
  sar_total_segments: 1,
  sar_segment_seqnum: 1,
  sc_interface_version: 1,
  message_state: 1,
  more_messages_to_send: 1,
  qos_time_to_live: 4,
} as const

/** TLVs that the package knows, each once: it keeps them by name. */
const knownTlvs: fc.Arbitrary<readonly Tlv[]> = fc.uniqueArray(
  fc.oneof(
    ...Object.entries(numberTlvs).map(([name, bytes]) =>
      fc
        .uint8Array({ minLength: bytes, maxLength: bytes })
        .map((value) => ({ tag: tlvTags[name as keyof typeof numberTlvs], value })),
    ),
    fc.uint8Array({ maxLength: 300 }).map((value) => ({ tag: tlvTags.message_payload, value })),
    fc
      .uint8Array({ minLength: 3, maxLength: 3 })
      .map((value) => ({ tag: tlvTags.network_error_code, value })),
    fc
      .stringMatching(/^[0-9a-f]{1,64}$/)
      .map((id) => ({ tag: tlvTags.receipted_message_id, value: Buffer.from(`${id}\0`) })),
  ),
  { selector: ({ tag }) => tag },
)

/** The PDU within what the package can be told: times of 16 characters or none, known TLVs, bodies that are there. */
function fitting(pdu: Pdu, tlvs: readonly Tlv[], isLong: boolean): Pdu | null {
  if (pdu.command === 'unknown') return null
  if (pdu.body === null) return hasBody(pdu.command) ? null : { ...pdu, status: 0 }
  const time = isLong ? '000000120000000R' : ''
  const known: Record<string, unknown> = {
    ...('tlvs' in pdu.body && { tlvs }),
    ...('validityPeriod' in pdu.body &&
      pdu.command !== 'data_sm' && { validityPeriod: time, scheduleDeliveryTime: time }),
    ...('finalDate' in pdu.body && { finalDate: time }),
  }
  return { ...pdu, status: 0, body: { ...pdu.body, ...known } } as Pdu
}

const hasBody = (command: string): boolean =>
  !['unbind', 'unbind_resp', 'cancel_sm_resp', 'replace_sm_resp', 'enquire_link', 'enquire_link_resp', 'generic_nack'].includes(command) // prettier-ignore

/** The same PDU in the package's words, which are the standard's. */
function fieldsOf(pdu: Exclude<Pdu, { command: 'unknown' }>): Record<string, unknown> {
  switch (pdu.command) {
    case 'bind_receiver':
    case 'bind_transmitter':
    case 'bind_transceiver': {
      const { systemId, password, systemType, interfaceVersion, addressRange } = pdu.body
      return {
        system_id: systemId,
        password,
        system_type: systemType,
        interface_version: interfaceVersion,
        addr_ton: addressRange.ton,
        addr_npi: addressRange.npi,
        address_range: Buffer.from(addressRange.address, 'latin1'),
      }
    }
    case 'outbind':
      return { system_id: pdu.body.systemId, password: pdu.body.password }
    case 'submit_sm':
    case 'deliver_sm':
    case 'data_sm':
      return { ...messageFieldsOf(pdu.body), ...tlvFields(pdu.body.tlvs) }
    case 'query_sm':
      return { message_id: pdu.body.messageId, ...addressFields('source', pdu.body.source) }
    case 'cancel_sm':
      return {
        service_type: pdu.body.serviceType,
        message_id: pdu.body.messageId,
        ...addressFields('source', pdu.body.source),
        ...addressFields('dest', pdu.body.destination),
      }
    case 'replace_sm':
      return {
        message_id: pdu.body.messageId,
        ...addressFields('source', pdu.body.source),
        schedule_delivery_time: pdu.body.scheduleDeliveryTime,
        validity_period: pdu.body.validityPeriod,
        registered_delivery: pdu.body.registeredDelivery,
        sm_default_msg_id: pdu.body.defaultMessageId,
        short_message: pdu.body.shortMessage,
      }
    case 'alert_notification':
      return {
        ...addressFields('source', pdu.body.source),
        ...addressFields('esme', pdu.body.esme),
        ...tlvFields(pdu.body.tlvs),
      }
    default:
      return pdu.body === null ? {} : resultFields(pdu.body)
  }
}

function resultFields(body: Readonly<Record<string, unknown>> | object): Record<string, unknown> {
  const {
    systemId,
    messageId,
    finalDate,
    messageState,
    errorCode,
    unsuccessful,
    tlvs = [],
  } = body as {
    systemId?: string
    messageId?: string
    finalDate?: string
    messageState?: number
    errorCode?: number
    unsuccessful?: readonly { address: Address; status: number }[]
    tlvs?: readonly Tlv[]
  }
  return {
    ...(systemId !== undefined && { system_id: systemId }),
    ...(messageId !== undefined && { message_id: messageId }),
    ...(finalDate !== undefined && {
      final_date: finalDate,
      message_state: messageState,
      error_code: errorCode,
    }),
    ...(unsuccessful && {
      unsuccess_sme: unsuccessful.map(({ address, status }) => ({
        ...addressFields('dest', address),
        error_status_code: status,
      })),
    }),
    ...tlvFields(tlvs),
  }
}

const messageFieldsOf = (body: MessageFields): Record<string, unknown> => ({
  service_type: body.serviceType,
  ...addressFields('source', body.source),
  ...addressFields('dest', body.destination),
  esm_class: body.esmClass,
  protocol_id: body.protocolId,
  priority_flag: body.priorityFlag,
  schedule_delivery_time: body.scheduleDeliveryTime,
  validity_period: body.validityPeriod,
  registered_delivery: body.registeredDelivery,
  replace_if_present_flag: body.replaceIfPresent,
  data_coding: body.dataCoding,
  sm_default_msg_id: body.defaultMessageId,
  short_message: body.shortMessage,
})

const addressFields = (whose: 'source' | 'dest' | 'esme', { ton, npi, address }: Address) => ({
  [`${whose}_addr_ton`]: ton,
  [`${whose}_addr_npi`]: npi,
  [whose === 'dest' ? 'destination_addr' : `${whose}_addr`]: Buffer.from(address, 'latin1'),
})

const nameOfTag = new Map<number, string>(Object.entries(tlvTags).map(([name, tag]) => [tag, name]))

function tlvFields(tlvs: readonly Tlv[]): Record<string, unknown> {
  return Object.fromEntries(
    tlvs.map(({ tag, value }) => {
      const name = nameOfTag.get(tag) ?? ''
      const bytes = Buffer.from(value)
      return [name, name in numberTlvs ? bytes.readUIntBE(0, bytes.length) : withoutNul(name, bytes)]
    }),
  )
}

const withoutNul = (name: string, bytes: Buffer): Buffer =>
  name === 'receipted_message_id' ? bytes.subarray(0, -1) : bytes
