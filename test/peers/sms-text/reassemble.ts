import type { SubmitRecord } from '../smsc/smsc-log.ts'
import { type Alphabet, decodeText, meaningOf } from './alphabets.ts'

/** A text as it would stand on the handset. */
export interface HandsetText {
  to: string
  from: string
  text: string
  /** The submits that it came in, in the order of the text. */
  parts: SubmitRecord[]
}

export interface Reassembled {
  /** In the order in which they became whole. */
  texts: HandsetText[]
  /** Joined texts that lack a part. */
  incomplete: { to: string; from: string; total: number; parts: SubmitRecord[] }[]
  /** Parts that a handset already had while it waited for the rest: submitted twice, or a reference used again too early. */
  repeated: SubmitRecord[]
  /** Headers that cannot be read, parts out of range, and messages too long for one SMS, with the reason. */
  wrong: { record: SubmitRecord; why: string }[]
}

interface Place {
  /** Null for a text of one part. */
  key: string | null
  total: number
  part: number
}

/**
 * What the handsets show after these submits; what the SMSC did not take never gets there. Parts are joined as a handset
 * does: by recipient, sender, method, reference and number of parts.
 */
export function reassemble(records: readonly SubmitRecord[], alphabet: Alphabet = 'gsm7'): Reassembled {
  const result: Reassembled = { texts: [], incomplete: [], repeated: [], wrong: [] }
  const open = new Map<string, (SubmitRecord | undefined)[]>()
  for (const record of records) {
    if (!record.taken) continue
    const place = placeOf(record)
    const why = typeof place === 'string' ? place : tooLong(record, alphabet)
    if (why !== null) result.wrong.push({ record, why })
    if (typeof place === 'string') continue
    if (place.key === null) {
      result.texts.push(joined([record], alphabet))
      continue
    }
    const parts = open.get(place.key) ?? Array.from({ length: place.total }, () => undefined)
    open.set(place.key, parts)
    if (parts[place.part - 1] !== undefined) result.repeated.push(record)
    else parts[place.part - 1] = record
    if (parts.includes(undefined)) continue
    result.texts.push(joined(parts as SubmitRecord[], alphabet))
    open.delete(place.key)
  }
  for (const parts of open.values()) {
    const there = parts.filter((part) => part !== undefined)
    const { to, from } = namesOf(there[0] as SubmitRecord)
    result.incomplete.push({ to, from, total: parts.length, parts: there })
  }
  return result
}

/** What was meant to arrive, and what did: each list is empty if all is well. */
export interface Verdict {
  /** Meant, and on no handset. */
  lost: { to: string; text: string }[]
  /** On a handset once more than meant. */
  twice: HandsetText[]
  /** On a handset, and never meant: damaged, mostly. */
  strange: HandsetText[]
  incomplete: Reassembled['incomplete']
  repeated: Reassembled['repeated']
  wrong: Reassembled['wrong']
  /** Submits that the package reads otherwise than they were written. */
  inexact: SubmitRecord[]
}

/** Compares recipients (with or without `+`) and texts, character by character, as often as each was meant. */
export function judgeTexts(
  meant: readonly { to: string; text: string }[],
  records: readonly SubmitRecord[],
  alphabet: Alphabet = 'gsm7',
): Verdict {
  const { texts, ...rest } = reassemble(records, alphabet)
  const missing = new Map<string, { to: string; text: string }[]>()
  for (const message of meant) {
    const known = missing.get(identityOf(message))
    if (known === undefined) missing.set(identityOf(message), [message])
    else known.push(message)
  }
  const verdict: Verdict = {
    lost: [],
    twice: [],
    strange: [],
    ...rest,
    inexact: records.filter(({ exact }) => !exact),
  }
  for (const text of texts) {
    const waiting = missing.get(identityOf(text))
    if (waiting === undefined) verdict.strange.push(text)
    else if (waiting.pop() === undefined) verdict.twice.push(text)
  }
  verdict.lost = [...missing.values()].flat()
  return verdict
}

const identityOf = ({ to, text }: { to: string; text: string }): string => `${to.replace(/^\+/, '')} ${text}`

const namesOf = ({ destination, source }: SubmitRecord): { to: string; from: string } => ({
  to: destination,
  from: source,
})

const joined = (parts: SubmitRecord[], alphabet: Alphabet): HandsetText => ({
  ...namesOf(parts[0] as SubmitRecord),
  text: parts
    .map((part) => decodeText(bodyOf(part), part.dcs, { alphabet, udhOctets: part.udh.length / 2 }))
    .join(''),
  parts,
})

/** The bytes after the user data header, from whichever field has them. */
export function bodyOf({ shortMessage, udh, tlvs }: SubmitRecord): Buffer {
  const payload = tlvs['message_payload']
  const hex = shortMessage === '' && typeof payload === 'string' ? payload : shortMessage
  return Buffer.from(hex.slice(udh.length), 'hex')
}

/** Where in a text a submit belongs, or why that cannot be told. */
function placeOf(record: SubmitRecord): Place | string {
  const { tlvs, shortMessage } = record
  if (shortMessage !== '' && tlvs['message_payload'] !== undefined) return 'short_message and message_payload'
  const place = record.udh === '' ? placeBySar(tlvs) : placeByHeader(Buffer.from(record.udh, 'hex'))
  if (typeof place === 'string' || place.key === null) return place
  if (place.part < 1 || place.part > place.total) return `part ${place.part} of ${place.total}`
  return { ...place, key: `${record.destination} ${record.source} ${place.key} ${place.total}` }
}

const alone: Place = { key: null, total: 1, part: 1 }

function placeBySar(tlvs: SubmitRecord['tlvs']): Place | string {
  const names = ['sar_msg_ref_num', 'sar_total_segments', 'sar_segment_seqnum'] as const
  const [reference, total, part] = names.map((name) => tlvs[name])
  if (reference === undefined && total === undefined && part === undefined) return alone
  if (reference === undefined || total === undefined || part === undefined) return 'a SAR TLV is missing'
  return { key: `sar ${reference}`, total: Number(total), part: Number(part) }
}

/** 3GPP TS 23.040 section 9.2.3.24: elements of tag, length and value, of which 0 and 8 join. */
function placeByHeader(udh: Buffer): Place | string {
  if (udh.length !== udh.readUInt8(0) + 1) return 'a user data header longer than the message'
  for (let at = 1; at < udh.length;) {
    const length = udh[at + 1]
    if (length === undefined || at + 2 + length > udh.length) return 'an element longer than its header'
    const value = udh.subarray(at + 2, at + 2 + length)
    if (udh[at] === 0x00 && length === 3) {
      return { key: `udh8 ${value.readUInt8(0)}`, total: value.readUInt8(1), part: value.readUInt8(2) }
    }
    if (udh[at] === 0x08 && length === 4) {
      return { key: `udh16 ${value.readUInt16BE(0)}`, total: value.readUInt8(2), part: value.readUInt8(3) }
    }
    at += 2 + length
  }
  return alone
}

/** An SMS has room for 140 octets, a header among them; a payload is cut by the SMSC, which has to add a header for SAR too. */
function tooLong(record: SubmitRecord, alphabet: Alphabet): string | null {
  if (record.shortMessage === '') return null
  const udhOctets = record.tlvs['sar_msg_ref_num'] === undefined ? record.udh.length / 2 : 6
  const octets = bodyOf(record).length
  const meaning = meaningOf(record.dcs, alphabet)
  // On the air Latin-1 and ASCII become GSM-7, one septet a character at best.
  const isSeptets = meaning === 'gsm7' || meaning === 'latin1' || meaning === 'ascii'
  const room = isSeptets ? Math.floor(((140 - udhOctets) * 8) / 7) : 140 - udhOctets
  return octets > room ? `${octets} octets where there is room for ${room}` : null
}
