import { maskPhoneNumber } from '../../phone-number.ts'
import { ton } from './address.ts'
import type { MalformedPdu } from './decode-pdu.ts'
import { type Address, type MessageFields, type Pdu, type Tlv, tlvTags } from './pdu.ts'
import { receiptOf } from './receipt.ts'
import { sayStatus } from './part-answer.ts'

/** A PDU for the log: no text, name or password of it, and no number in full. Of a receipt its id, its word and its code. */
export function describePdu(pdu: Pdu | MalformedPdu): Record<string, unknown> {
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
    ...(command === 'deliver_sm' || command === 'data_sm' ? describeReceipt(body) : {}),
  }
}

/** What the text of a receipt says, but for what it quotes. */
function describeReceipt(body: MessageFields): { receipt?: Record<string, string | null> } {
  const receipt = receiptOf(body)
  if (receipt === null) return {}
  const { id, stat, err } = receipt
  const words = { id: withoutNumbers(id, body), stat, err }
  return {
    receipt: Object.fromEntries(
      Object.entries(words).map(([key, value]) => [key, value?.slice(0, mostLetters) ?? null]),
    ),
  }
}

/** Ids have 64 octets (section 5.2.23), words fewer. */
const mostLetters = 64

/** Values that tell nothing of who writes what: numbers, and the id of a message. */
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
  return `${name}=${withoutNumbers(id, body)?.slice(0, mostLetters)}`
}

/** Some ids hold the number that their message went to. */
function withoutNumbers(id: string | null, { source, destination }: MessageFields): string | null {
  const numbers = [source.address, destination.address].filter((number) => number.length >= 7)
  return numbers.reduce((left, number) => left?.replaceAll(number, '***') ?? null, id)
}

/** Numbers as every log shows them; a name or a short code tells too much of who sends, so that only its type is left. */
function describeAddress({ ton: type, npi, address }: Address): string {
  if (address === '') return ''
  return type === ton.international ? maskPhoneNumber(`+${address}`) : `***/${type}/${npi}`
}
