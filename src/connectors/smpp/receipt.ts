import { mostIdLetters } from './message-id.ts'
import { type MessageFields, tlvTags } from './pdu.ts'
import { readReceiptText } from './receipt-text.ts'

/**
 * What a receipt says. `result` is null when it is no end: on its way, not known, or a receipt that makes no sense; it is
 * acknowledged and no more. `numbers` are those it came from and to, one of which is the recipient's.
 */
export type ReceiptFacts =
  | { result: null }
  | {
      /** As the SMSC wrote it. */
      networkId: string
      result: 'delivered' | 'undelivered'
      /** A code of messages/message-errors.ts; null with `delivered`. */
      code: string | null
      /** The carrier's own code, as it stands. */
      networkCode: string | null
      numbers: readonly string[]
      /** The user_message_reference of the submit, sent back; null without one. */
      reference: number | null
      /** The submit date of the text, by the clock of the SMSC; null without one. */
      submittedAt: number | null
    }

type Verdict = { result: 'delivered' | 'undelivered'; code: string | null } | { result: null }

const noEnd: Verdict = { result: null }
const delivered: Verdict = { result: 'delivered', code: null }
const failed = (code: string): Verdict => ({ result: 'undelivered', code })

/** Section 5.2.28, with SCHEDULED and SKIPPED of 5.0. UNKNOWN says nothing: the wait for a better word ends by itself. */
const verdictOfState: readonly Verdict[] = [
  noEnd, // SCHEDULED
  noEnd, // ENROUTE
  delivered, // DELIVERED
  failed('expired_in_network'), // EXPIRED
  failed('network_rejected'), // DELETED
  failed('unreachable'), // UNDELIVERABLE
  noEnd, // ACCEPTED
  noEnd, // UNKNOWN
  failed('network_rejected'), // REJECTED
  failed('network_rejected'), // SKIPPED
]

/** Words of appendix B by how they begin: carriers cut them at 7 letters, or not. What is not here is no end. */
const verdictOfWord: readonly [beginning: string, verdict: Verdict][] = [
  ['DELIV', delivered],
  ['UNDELIV', failed('unreachable')],
  ['EXPIRED', failed('expired_in_network')],
  ['DELETED', failed('network_rejected')],
  ['REJECT', failed('network_rejected')],
  ['SKIPPED', failed('network_rejected')],
  ['FAIL', failed('unknown')],
]

/** Codes have 3 letters (appendix B), or some more. */
const mostCodeLetters = 32

/** The bits of esm_class that say what a message is (section 5.2.12). */
const typeMask = 0x3c
const receiptType = 0x04
/** Intermediate notifications and the acknowledgements of a handset: no messages, and no end either. */
const notes: ReadonlySet<number> = new Set([0x08, 0x10, 0x20])
const hasHeader = 0x40

/**
 * Reads a deliver_sm or data_sm as a receipt; null when it is a message. Where esm_class does not say, the TLVs of a receipt do, and the
 * text of one only when its id is known to be ours: anybody can write such a text. TLVs win over the text.
 */
export function readReceipt(fields: MessageFields, isKnownId: (id: string) => boolean): ReceiptFacts | null {
  const type = fields.esmClass & typeMask
  if (notes.has(type)) return { result: null }
  const id = textOfTlv(fields, tlvTags.receipted_message_id)
  const state = valueOf(fields, tlvTags.message_state)?.at(0)
  const isTold = type === receiptType || (id !== null && state !== undefined)
  const text = readReceiptText(textOf(fields))
  const networkId = id ?? text?.id ?? null
  const isMeant = (): boolean =>
    networkId !== null && text?.id === networkId && text.stat !== null && isKnownId(networkId)
  if (!isTold && !isMeant()) return null

  const verdict = state === undefined ? judgeWord(text?.stat ?? '') : (verdictOfState[state] ?? noEnd)
  if (networkId === null || networkId.length > mostIdLetters || verdict.result === null)
    return { result: null }
  return {
    networkId,
    ...verdict,
    networkCode: networkErrorOf(fields) ?? text?.err?.slice(0, mostCodeLetters) ?? null,
    numbers: [fields.source.address, fields.destination.address].filter((number) => number !== ''),
    reference: referenceOf(fields),
    submittedAt: dateOf(text?.submitDate ?? ''),
  }
}

/** Section 5.3.2.17: two octets. What has another length is none of ours. */
function referenceOf(fields: MessageFields): number | null {
  const value = valueOf(fields, tlvTags.user_message_reference)
  return value?.length === 2 ? (value[0] ?? 0) * 256 + (value[1] ?? 0) : null
}

/** YYMMDDhhmm of appendix B, with seconds or with the century too, read as if it were UTC; null for any other date. */
function dateOf(text: string): number | null {
  const found = /^(?:20(?=\d{12}$))?(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d|)$/.exec(text)
  if (found === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number)
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24 && minute < 60 && second < 60
  return isDate ? Date.UTC(2000 + year, month - 1, day, hour, minute, second) : null
}

function judgeWord(stat: string): Verdict {
  const word = stat.toUpperCase()
  return verdictOfWord.find(([beginning]) => word.startsWith(beginning))?.[1] ?? noEnd
}

/** network_error_code: the kind of network in an octet, then its code (section 5.3.2.31 has two octets, some send three). */
function networkErrorOf(fields: MessageFields): string | null {
  const value = valueOf(fields, tlvTags.network_error_code)
  if (value === undefined || value.length < 3) return null
  return String(value.subarray(1, 5).reduce((code, octet) => code * 256 + octet, 0))
}

/** One character for each octet: ids and states are ASCII, and what else is there is not looked at. */
function textOf(fields: MessageFields): string {
  const payload = valueOf(fields, tlvTags.message_payload)
  const octets = fields.shortMessage.length > 0 || payload === undefined ? fields.shortMessage : payload
  const start = (fields.esmClass & hasHeader) === 0 ? 0 : (octets[0] ?? 0) + 1
  const text = Buffer.from(octets).toString('latin1', start)
  // A receipt in UCS-2 has a NUL in each of its characters; one at the end closes any other.
  return text.replaceAll('\0', '')
}

/** An id of a TLV is a C-octet string, and not always closed; null when there is nothing in it. */
function textOfTlv(fields: MessageFields, tag: number): string | null {
  const value = valueOf(fields, tag)
  if (value === undefined) return null
  const text = (Buffer.from(value).toString('latin1').split('\0', 1)[0] ?? '').trim()
  return text === '' ? null : text
}

const valueOf = (fields: MessageFields, tag: number): Uint8Array | undefined =>
  fields.tlvs.find((tlv) => tlv.tag === tag)?.value
