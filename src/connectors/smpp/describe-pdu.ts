import type { MalformedPdu } from './decode-pdu.ts'
import type { Pdu } from './pdu.ts'
import { sayStatus } from './part-answer.ts'

/** A PDU for the log: no text, number, name or password of it. */
export function describePdu(pdu: Pdu | MalformedPdu): Record<string, unknown> {
  const { command, status, sequence } = pdu
  const base = { command, sequence, ...(status === 0 ? {} : { status: sayStatus(status) }) }
  if (pdu.command === 'malformed') return { ...base, claimed: pdu.claimed, fault: pdu.fault }
  if (pdu.command === 'unknown') return { ...base, command_id: pdu.commandId, octets: pdu.body.length }
  const { body } = pdu
  if (body === null || !('shortMessage' in body && 'esmClass' in body)) return base
  return {
    ...base,
    data_coding: body.dataCoding,
    esm_class: body.esmClass,
    octets: body.shortMessage.length,
    tlvs: body.tlvs.map(({ tag, value }) => `${tag.toString(16).padStart(4, '0')}/${value.length}`),
  }
}
