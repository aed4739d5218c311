import { createHash } from 'node:crypto'
import { readPieces } from '../../../sms/coded-text.ts'
import type { Inbound } from '../../connector.ts'
import type { PduAddress } from '../pdu/address.ts'
import type { DeliveredSms } from '../pdu/deliver-pdu.ts'

/** Why an SMS is not for a person; it is deleted, and only counted. */
export type NoMessage = 'wap_push' | 'type_0'

/** The port of WAP push (WDP of OMA), by which a network announces an MMS. */
const wapPushPort = 2948
/** TP-PID of a message that is to be acknowledged and dropped (3GPP TS 23.040, section 9.2.3.9). */
const typeZero = 0x40

/**
 * Returns a received SMS as the service takes it. Its TPDU has the time of the network, so that its hash is the same
 * for each copy of one SMS, and another for the next with the same text.
 */
export function inboundOf(sms: DeliveredSms, tpdu: Uint8Array): Inbound | NoMessage {
  if (sms.protocol === typeZero) return 'type_0'
  if (sms.port === wapPushPort) return 'wap_push'
  const { from, content, fragment, networkTime, port } = sms
  // What is for an application has no text that a person wrote.
  const isData = port !== null || typeof content === 'string'
  const coded = isData || typeof content === 'string' ? null : content
  const text = coded === null ? hexOf(content) : readPieces([coded])
  const fromIs = kindOf(from)
  return {
    from: from.number,
    ...(fromIs !== null && { fromIs }),
    to: null,
    text: fragment === null ? text.toWellFormed() : text,
    networkAt: networkTime?.atMs ?? null,
    inReplyTo: null,
    fingerprint: createHash('sha256').update(tpdu).digest('base64url'),
    ...(fragment !== null && { fragment: { ...fragment, ...(coded !== null && { coded }) } }),
  }
}

const hexOf = (content: DeliveredSms['content']): string =>
  typeof content === 'string' ? content : Buffer.from(content.octets).toString('hex')

const kindOf = ({ kind }: PduAddress): 'national' | 'other' | null =>
  kind === 'national' || kind === 'other' ? kind : null
