import { decodeText } from '../sms-text/alphabets.ts'
import { bodyOf } from '../sms-text/reassemble.ts'
import { messageStates, writeReceipt } from './receipt-forms.ts'
import type { SubmitRecord } from './smsc-log.ts'
import type { ReceiptRule, ReceiptSettings } from './smsc-settings.ts'

/** What the SMSC keeps of a submit that it took. */
export interface Taken {
  record: SubmitRecord
  /** In the form of the receipt. */
  receiptId: string
}

/** The states that are reported, after registered_delivery (SMPP 3.4 section 5.2.17) had its say. */
export function statesToReport(
  { record }: Taken,
  rule: ReceiptRule | null,
  settings: ReceiptSettings,
): string[] {
  const states = rule?.states ?? ['DELIVRD']
  if (settings.when === 'always') return [...states]
  if (settings.when === 'never') return []
  const asked = record.registeredDelivery & 3
  const wantsIntermediate = (record.registeredDelivery & 0x10) !== 0
  return states.filter((stat) => {
    if (isIntermediate(stat)) return wantsIntermediate
    return asked === 1 || (asked === 2 && messageStates[stat] !== 2)
  })
}

const isIntermediate = (stat: string): boolean => [0, 1].includes(messageStates[stat] ?? -1)

/** The fields of the deliver_sm or data_sm that reports `stat`. */
export function receiptFields(
  { record, receiptId }: Taken,
  stat: string,
  err: string,
  settings: ReceiptSettings,
): Record<string, unknown> {
  const hasText = settings.carrier !== 'tlv'
  const words = { id: receiptId, stat, err, submittedMs: record.at, doneMs: Date.now(), text: textOf(record) }
  const text = hasText ? encode(writeReceipt(settings.form, words), settings) : Buffer.alloc(0)
  const isInPayload = hasText && (settings.inPayload || settings.command === 'data_sm')
  const state = messageStates[stat]
  return {
    // It comes from where the message went.
    source_addr_ton: record.destinationTon,
    source_addr_npi: record.destinationNpi,
    source_addr: record.destination,
    dest_addr_ton: record.sourceTon,
    dest_addr_npi: record.sourceNpi,
    destination_addr: record.source,
    esm_class: settings.esmClass === 4 && isIntermediate(stat) ? 0x20 : settings.esmClass,
    data_coding: settings.encoding === 'ucs2' ? 8 : 0,
    ...(settings.command === 'deliver_sm' && { short_message: isInPayload ? Buffer.alloc(0) : text }),
    ...(settings.carrier !== 'text' && { receipted_message_id: receiptId }),
    ...(settings.carrier !== 'text' && state !== undefined && { message_state: state }),
    ...(settings.networkErrorCode !== null && {
      network_error_code: Buffer.from(settings.networkErrorCode, 'hex'),
    }),
    ...(isInPayload && { message_payload: text }),
    ...(settings.echoReference &&
      record.tlvs['user_message_reference'] !== undefined && {
        user_message_reference: record.tlvs['user_message_reference'],
      }),
  }
}

const textOf = (record: SubmitRecord): string =>
  decodeText(bodyOf(record), record.dcs, { alphabet: 'gsm7', udhOctets: 0 })

function encode(text: string, { encoding, trailingNul }: ReceiptSettings): Buffer {
  const whole = trailingNul ? `${text}\0` : text
  return encoding === 'ucs2' ? Buffer.from(whole, 'utf16le').swap16() : Buffer.from(whole, encoding)
}
