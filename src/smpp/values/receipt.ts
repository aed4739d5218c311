import { maxIdLetters } from './message-id.ts'
import { type MessageFields, tlvTags } from '../codec/pdu.ts'
import type { ReceiptPattern } from './receipt-pattern.ts'
import { isWholeReceipt, readReceiptText, type ReceiptText } from './receipt-text.ts'
import { judgeState, judgeWord, ownEnd, type ReceiptWords } from './receipt-verdict.ts'

/**
 * What a receipt says. `result` is null when it is no end: on its way, not known, or a receipt that makes no sense (`isUnread`); it is
 * acknowledged and no more. `numbers` are those it came from and to, one of which is the recipient's.
 */
export type ReceiptFacts =
  | { result: null; ownWord?: string; isUnread?: true }
  | {
      /** As the SMSC wrote it; with `hasNoId` what stands for the one that it did not tell. */
      networkId: string
      /** It names its message by the reference of the submit alone. */
      hasNoId?: true
      result: 'delivered' | 'undelivered'
      /** A code of messages/message-errors.ts; null with `delivered`. */
      code: string | null
      /** The carrier's own code, as it stands. */
      networkCode: string | null
      numbers: readonly string[]
      /** It names but one of both: where that is not the recipient's, it is the sender's. */
      isOneSided?: true
      /** The user_message_reference of the submit, sent back; null without one. */
      reference: number | null
      /** The submit date of the text, by the clock of the SMSC; null without one. */
      submittedAt: number | null
      /** Of how many parts it says that they were submitted and delivered, where these are the same and more than one; null where not. */
      covers: number | null
      /** The word of the text, where it is one of the carrier's own that nobody has explained; it stands as the network code. */
      ownWord?: string
    }

/** Codes have 3 letters (appendix B), or some more. */
const maxCodeLetters = 32

/** The bits of esm_class that say what a message is (section 5.2.12). */
const typeMask = 0x3c
const receiptType = 0x04
/** Acknowledgements that a handset or its user wrote: words about a message of ours, or any text. */
const writtenTypes: ReadonlySet<number> = new Set([0x08, 0x10])
/** An intermediate notification: the SMSC's own, never a person's. */
const noticeType = 0x20
const hasHeader = 0x40

/** How receipts of a link are read. */
export interface ReceiptReading {
  words: ReceiptWords
  /** The form of their text, where it is none of appendix B; null where nothing is set. */
  pattern: ReceiptPattern | null
}

/**
 * Reads a deliver_sm or data_sm as a receipt; null when it is a message. Where esm_class does not say, the TLVs of a receipt do, and the
 * text of one only when its id is known to be ours, or when it is a receipt from its first key to its last under the acknowledgement of a
 * handset: anybody can write such a text. One without an id is about the message whose reference it brings back. A final word counts under any esm_class; one that nobody knows only where esm_class says that the receipt
 * is final. TLVs win over the text.
 */
export function readReceipt(
  fields: MessageFields,
  { isKnownId, words, pattern }: { isKnownId: (id: string) => boolean } & ReceiptReading,
): ReceiptFacts | null {
  const type = fields.esmClass & typeMask
  const id = textOfTlv(fields, tlvTags.receipted_message_id)
  const state = valueOf(fields, tlvTags.message_state)?.at(0)
  const reference = referenceOf(fields)
  const hasNames = id !== null || reference !== null
  const isTold = type === receiptType || type === noticeType || (hasNames && state !== undefined)
  const said = textOf(fields)
  const text = pattern?.(said) ?? readReceiptText(said)
  const networkId = id ?? text?.id ?? null
  const isMeant = (): boolean =>
    networkId !== null &&
    text?.id === networkId &&
    text.stat !== null &&
    (isKnownId(networkId) || (writtenTypes.has(type) && isWholeReceipt(said)))
  if (!isTold && !isMeant()) return writtenTypes.has(type) && said.trim() === '' ? { result: null } : null

  const word = text?.stat?.slice(0, maxCodeLetters) ?? null
  const known =
    (state === undefined ? null : judgeState(state)) ?? (word === null ? null : judgeWord(word, words))
  const ownWord = known === null && word !== null ? { ownWord: word } : {}
  const verdict = known ?? (word !== null && type === receiptType ? ownEnd : { result: null })
  const numbers = [fields.source.address, fields.destination.address].filter((number) => number !== '')
  const isNamed =
    networkId === null ? reference !== null && numbers.length > 0 : networkId.length <= maxIdLetters
  if (!isNamed) return { result: null, isUnread: true }
  if (verdict.result === null)
    return { result: null, ...ownWord, ...(known === null && word === null && { isUnread: true }) }
  return {
    ...(networkId === null
      ? { networkId: `?${reference}/${numbers.join('/')}`, hasNoId: true }
      : { networkId }),
    ...verdict,
    networkCode: ownWord.ownWord ?? networkErrorOf(fields) ?? text?.err?.slice(0, maxCodeLetters) ?? null,
    numbers,
    ...(numbers.length === 1 && { isOneSided: true }),
    reference,
    submittedAt: dateOf(text?.submitDate ?? ''),
    covers: partsIn(text),
    ...ownWord,
  }
}

/**
 * The id of a text that is a receipt from its first key to its last (appendix B), or by the pattern of the link with a word that is known, whatever
 * esm_class says; null for any other.
 */
export function wholeReceiptId(fields: MessageFields, { words, pattern }: ReceiptReading): string | null {
  const text = textOf(fields)
  const { id, stat } = pattern?.(text) ?? { id: null, stat: null }
  // Numbers are words of people, too: `STOP 1` fits a pattern of two fields. Those that the link names are its own.
  const isOurs =
    stat !== null && (words.has(stat) || (!/^\d+$/.test(stat) && judgeWord(stat, words) !== null))
  if (isOurs) return id
  return isWholeReceipt(text) ? (readReceiptText(text)?.id ?? null) : null
}

/**
 * What the text of a receipt says in front of what it quotes, by the pattern of its link first; null where neither esm_class nor its form tells that it
 * is one: it may be a person's.
 */
export function receiptOf(fields: MessageFields, reading: ReceiptReading | null = null): ReceiptText | null {
  const type = fields.esmClass & typeMask
  const text = textOf(fields)
  const isTold = type === receiptType || type === noticeType
  const isWhole = reading === null ? isWholeReceipt(text) : wholeReceiptId(fields, reading) !== null
  if (!isTold && !isWhole) return null
  const own = reading?.pattern?.(text)
  if (own) return own
  return readReceiptText(text.split(/(?<![\p{L}\p{N}])text[ \t]*:/iu, 1)[0] ?? '')
}

/** `sub:002 dlvrd:002`: one receipt for a long message. */
function partsIn(text: ReceiptText | null): number | null {
  const [sub, dlvrd] = [Number(text?.sub ?? 0), Number(text?.dlvrd ?? 0)]
  return Number.isInteger(sub) && sub > 1 && sub === dlvrd ? sub : null
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
