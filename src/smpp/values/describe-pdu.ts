import { maskPhoneNumber } from '../../numbers/phone-number.ts'
import { ton } from './address.ts'
import type { MalformedPdu } from '../codec/decode-pdu.ts'
import { type Address, type MessageFields, type Pdu, type Tlv, tlvTags } from '../codec/pdu.ts'
import { type ReceiptReading, receiptOf } from './receipt.ts'
import { sayStatus } from './status-name.ts'

/**
 * Describes a PDU for the log: without text, name or password, and without full numbers. For a receipt with
 * its ID, status and code, as its link reads them.
 */
export function describePdu(
  pdu: Pdu | MalformedPdu,
  reading: ReceiptReading | null = null,
): Record<string, unknown> {
  const { command, status, sequence } = pdu
  const base = {
    command,
    sequence,
    ...(status === 0 ? {} : { status: sayStatus(status) }),
    ...('rest' in pdu ? { rest: pdu.rest } : {}),
  }
  if (pdu.command === 'malformed') return { ...base, claimed: pdu.claimed, fault: pdu.fault }
  if (pdu.command === 'unknown') return { ...base, command_id: pdu.commandId, octets: pdu.body.length }
  const { body } = pdu
  if (body === null || !('shortMessage' in body && 'esmClass' in body)) return base
  return {
    ...base,
    source: describeAddress(body.source),
    destination: describeAddress(body.destination),
    data_coding: body.dataCoding,
    esm_class: body.esmClass,
    octets: body.shortMessage.length,
    tlvs: body.tlvs.map((tlv) => describeTlv(tlv, body)),
    ...(command === 'deliver_sm' || command === 'data_sm' ? describeReceipt(body, reading) : {}),
  }
}

/** Returns the fields of a receipt text, without what it quotes. */
function describeReceipt(
  body: MessageFields,
  reading: ReceiptReading | null,
): { receipt?: Record<string, string | null> } {
  const receipt = receiptOf(body, reading)
  if (receipt === null) return {}
  const { id, stat, err } = receipt
  const words = { id, stat, err }
  return {
    receipt: Object.fromEntries(
      Object.entries(words).map(([key, value]) => {
        const masked = value === null ? null : withoutNumbers(value, body)
        return [key, masked !== null && code.test(masked) ? masked : null]
      }),
    ),
  }
}

/**
 * A pattern may use the rest of the text for its last field, including what the receipt quotes: what is no
 * code is not shown.
 */
const code = /^[\w*+./:=-]{1,65}$/

/** IDs have up to 64 octets (section 5.2.23), status words fewer. */
const maxLetters = 64

/** Values that reveal nothing about sender or text: numbers, and the ID of a message. */
const numberTags: ReadonlySet<number> = new Set([
  tlvTags.message_state,
  tlvTags.user_message_reference,
  tlvTags.sar_msg_ref_num,
  tlvTags.sar_total_segments,
  tlvTags.sar_segment_seqnum,
])

function describeTlv({ tag, value }: Tlv, body: MessageFields): string {
  const name = `${tag.toString(16).padStart(4, '0')}/${value.length}`
  const octets = Buffer.from(value)
  if (numberTags.has(tag) && value.length >= 1 && value.length <= 4)
    return `${name}=${octets.readUIntBE(0, value.length)}`
  if (tag === tlvTags.network_error_code && value.length <= 5) return `${name}=${octets.toString('hex')}`
  if (tag !== tlvTags.receipted_message_id) return name
  const id = octets.toString('latin1').split('\0', 1)[0] ?? ''
  return `${name}=${withoutNumbers(id, body)}`
}

/**
 * A number is recognised by its last digits, regardless of its prefix: a plus, zeros, its country code, or a
 * zero instead.
 */
const significantDigits = 7
/** Digits before those; together as many as the longest number of E.164 and the zeros of an international call. */
const maxPrefixDigits = 10
const between = '[ ().\\/_-]{0,2}'

/** Some IDs contain the number of the recipient: it is masked in any format. Cut to as many characters as are shown. */
function withoutNumbers(value: string, { source, destination }: MessageFields): string {
  let left = value.slice(0, 2 * maxLetters)
  for (const { address } of [source, destination]) {
    const digits = address.replaceAll(/\D/g, '')
    if (/\D/.test(address) && address.length >= significantDigits) left = left.replaceAll(address, '***')
    if (digits.length < significantDigits) continue
    const end = digits.slice(-significantDigits).replaceAll(/(?<=\d)(?=\d)/g, between)
    left = left.replaceAll(new RegExp(`\\+?\\(?(?:\\d${between}){0,${maxPrefixDigits}}${end}`, 'g'), '***')
  }
  return left.slice(0, maxLetters)
}

/** Numbers as in every log. A name or a short code reveals too much about the sender, so only its type is shown. */
function describeAddress({ ton: type, npi, address }: Address): string {
  if (address === '') return ''
  return type === ton.international ? maskPhoneNumber(`+${address}`) : `***/${type}/${npi}`
}
