import { maskPhoneNumber } from '../../phone-number.ts'
import { ton } from './address.ts'
import type { MalformedPdu } from './decode-pdu.ts'
import type { Address, Pdu } from './pdu.ts'
import { sayStatus } from './part-answer.ts'

/** A PDU for the log: no text, name or password of it, and no number in full. */
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
    tlvs: body.tlvs.map(({ tag, value }) => `${tag.toString(16).padStart(4, '0')}/${value.length}`),
  }
}

/** Numbers as every log shows them; a name or a short code tells too much of who sends, so that only its type is left. */
function describeAddress({ ton: type, npi, address }: Address): string {
  if (address === '') return ''
  return type === ton.international ? maskPhoneNumber(`+${address}`) : `***/${type}/${npi}`
}
