import { maxIdLetters } from './message-id.ts'
import { type MessageFields, tlvTags } from '../codec/pdu.ts'
import type { ReceiptPattern } from './receipt-pattern.ts'
import { isWholeReceipt, parseReceiptText, type ReceiptText } from './receipt-text.ts'
import { judgeState, judgeWord, ownEnd, type ReceiptWords } from './receipt-verdict.ts'

/**
 * The facts in a receipt. `result` is null when it is not final: in progress, unknown, or an invalid receipt
 * (`isUnparsed`); it is only acknowledged. `numbers` are its source and destination, one of which is the
 * recipient's.
 */
export type ReceiptFacts =
  | { result: null; ownWord?: string; isUnparsed?: true }
  | {
      /** As the SMSC wrote it; with `hasNoId` a substitute for the missing one. */
      networkId: string
      /** It identifies its message only by the reference of the submit. */
      hasNoId?: true
      result: 'delivered' | 'undelivered'
      /** A code of messages/message-errors.ts; null with `delivered`. */
      code: string | null
      /** The carrier's own code, as written. */
      networkCode: string | null
      numbers: readonly string[]
      /** It contains only one of both numbers: if that is not the recipient's, it is the sender's. */
      isOneSided?: true
      /** The user_message_reference of the submit, as returned; null without one. */
      reference: number | null
      /** The submit date of the text, by the clock of the SMSC; null without one. */
      submittedAt: number | null
      /** The number of parts submitted and delivered, if both are equal and more than one; otherwise null. */
      covers: number | null
      /** The status word of the text, if it is the carrier's own and undefined; it becomes the network code. */
      ownWord?: string
    }

/** Codes have 3 letters (appendix B), or some more. */
const maxCodeLetters = 32

/** The bits of esm_class for the type of a message (section 5.2.12). */
const typeMask = 0x3c
const receiptType = 0x04
/** Acknowledgements that a handset or its user wrote: reports about one of our messages, or any text. */
const writtenTypes: ReadonlySet<number> = new Set([0x08, 0x10])
/** An intermediate notification: the SMSC's own, never a person's. */
const noticeType = 0x20
const hasHeader = 0x40

/** How receipts of a link are parsed. */
export interface ReceiptReading {
  words: ReceiptWords
  /** The format of their text, if it is not that of appendix B; null where none is set. */
  pattern: ReceiptPattern | null
}

/**
 * Parses a deliver_sm or data_sm as a receipt; null when it is a message. If esm_class does not mark it, the
 * TLVs of a receipt do. Its text does only when its ID is known to be ours, or when it is a receipt from the
 * first key to the last under the acknowledgement of a handset: anyone can write such a text. One without an
 * ID is about the message whose reference it returns. A final word counts under any esm_class, an unknown one
 * only if esm_class marks the receipt as final. TLVs take precedence over the text.
 */
export function parseReceipt(
  fields: MessageFields,
  { isKnownId, words, pattern }: { isKnownId: (id: string) => boolean } & ReceiptReading,
): ReceiptFacts | null {
  const type = fields.esmClass & typeMask
  const id = textOfTlv(fields, tlvTags.receipted_message_id)
  const state = valueOf(fields, tlvTags.message_state)?.at(0)
  const reference = referenceOf(fields)
  const hasNames = id !== null || reference !== null
  const isMarked = type === receiptType || type === noticeType || (hasNames && state !== undefined)
  const written = textOf(fields)
  const text = pattern?.(written) ?? parseReceiptText(written)
  const networkId = id ?? text?.id ?? null
  const isMeant = (): boolean =>
    networkId !== null &&
    text?.id === networkId &&
    text.stat !== null &&
    (isKnownId(networkId) || (writtenTypes.has(type) && isWholeReceipt(written)))
  if (!isMarked && !isMeant())
    return writtenTypes.has(type) && written.trim() === '' ? { result: null } : null

  const word = text?.stat?.slice(0, maxCodeLetters) ?? null
  const known =
    (state === undefined ? null : judgeState(state)) ?? (word === null ? null : judgeWord(word, words))
  const ownWord = known === null && word !== null ? { ownWord: word } : {}
  const verdict = known ?? (word !== null && type === receiptType ? ownEnd : { result: null })
  const numbers = [fields.source.address, fields.destination.address].filter((number) => number !== '')
  const isNamed =
    networkId === null ? reference !== null && numbers.length > 0 : networkId.length <= maxIdLetters
  if (!isNamed) return { result: null, isUnparsed: true }
  if (verdict.result === null)
    return { result: null, ...ownWord, ...(known === null && word === null && { isUnparsed: true }) }
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
 * Returns the ID of a text that is a receipt from its first key to its last (appendix B), or by the pattern
 * of the link with a known word, regardless of esm_class; null for any other.
 */
export function wholeReceiptId(fields: MessageFields, { words, pattern }: ReceiptReading): string | null {
  const text = textOf(fields)
  const { id, stat } = pattern?.(text) ?? { id: null, stat: null }
  // Numbers are written by people, too: `STOP 1` matches a pattern of two fields. Words that the link defines
  // are its own.
  const isOurs =
    stat !== null && (words.has(stat) || (!/^\d+$/.test(stat) && judgeWord(stat, words) !== null))
  if (isOurs) return id
  return isWholeReceipt(text) ? (parseReceiptText(text)?.id ?? null) : null
}

/**
 * Returns the fields of a receipt text before what it quotes, by the pattern of its link first; null where
 * neither esm_class nor its form marks it as a receipt: it may be a person's.
 */
export function receiptOf(fields: MessageFields, reading: ReceiptReading | null = null): ReceiptText | null {
  const type = fields.esmClass & typeMask
  const text = textOf(fields)
  const isMarked = type === receiptType || type === noticeType
  const isWhole = reading === null ? isWholeReceipt(text) : wholeReceiptId(fields, reading) !== null
  if (!isMarked && !isWhole) return null
  const own = reading?.pattern?.(text)
  if (own) return own
  return parseReceiptText(text.split(/(?<![\p{L}\p{N}])text[ \t]*:/iu, 1)[0] ?? '')
}

/** `sub:002 dlvrd:002`: one receipt for a long message. */
function partsIn(text: ReceiptText | null): number | null {
  const [sub, dlvrd] = [Number(text?.sub ?? 0), Number(text?.dlvrd ?? 0)]
  return Number.isInteger(sub) && sub > 1 && sub === dlvrd ? sub : null
}

/** Section 5.3.2.17: two octets. One of another length is not ours. */
function referenceOf(fields: MessageFields): number | null {
  const value = valueOf(fields, tlvTags.user_message_reference)
  return value?.length === 2 ? (value[0] ?? 0) * 256 + (value[1] ?? 0) : null
}

/**
 * YYMMDDhhmm of appendix B, with seconds or with the century too, parsed as if it were UTC; null for any
 * other date.
 */
function dateOf(text: string): number | null {
  const found = /^(?:20(?=\d{12}$))?(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d|)$/.exec(text)
  if (found === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number)
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24 && minute < 60 && second < 60
  return isDate ? Date.UTC(2000 + year, month - 1, day, hour, minute, second) : null
}

/**
 * network_error_code: the kind of network in an octet, then its code (section 5.3.2.31 has two octets, some
 * send three).
 */
function networkErrorOf(fields: MessageFields): string | null {
  const value = valueOf(fields, tlvTags.network_error_code)
  if (value === undefined || value.length < 3) return null
  return String(value.subarray(1, 5).reduce((code, octet) => code * 256 + octet, 0))
}

/** One character per octet: IDs and states are ASCII, and the rest is not used. */
function textOf(fields: MessageFields): string {
  const payload = valueOf(fields, tlvTags.message_payload)
  const octets = fields.shortMessage.length > 0 || payload === undefined ? fields.shortMessage : payload
  const start = (fields.esmClass & hasHeader) === 0 ? 0 : (octets[0] ?? 0) + 1
  const text = Buffer.from(octets).toString('latin1', start)
  // A receipt in UCS-2 has a NUL in each of its characters; in any other a NUL ends it.
  return text.replaceAll('\0', '')
}

/** An ID in a TLV is a C-octet string, and not always terminated; null when it is empty. */
function textOfTlv(fields: MessageFields, tag: number): string | null {
  const value = valueOf(fields, tag)
  if (value === undefined) return null
  const text = (Buffer.from(value).toString('latin1').split('\0', 1)[0] ?? '').trim()
  return text === '' ? null : text
}

const valueOf = (fields: MessageFields, tag: number): Uint8Array | undefined =>
  fields.tlvs.find((tlv) => tlv.tag === tag)?.value
