import type { AnswerRule, Declaration, RefusalCode } from '../declaration/declaration.ts'
import { findAll, findList, findText, type Place, textOf } from '../declaration/pointer.ts'
import { defaultMeaning, type Meaning } from './default-meaning.ts'
import { readDocument } from './read-document.ts'
import { retryAfterMs } from './retry-after.ts'

/** A whole answer of a provider. */
export interface HttpAnswer {
  status: number
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  body: string
}

/** What an answer says about the submission of a message. `networkCode` is the code as the provider wrote it. */
export type Answered =
  | { kind: 'accepted'; ids: readonly string[]; parts: number | null }
  | {
      kind: 'partial'
      ids: readonly string[]
      taken: number
      code: RefusalCode
      networkCode: string | null
    }
  | ({ kind: 'refused'; networkCode: string | null; restMs: number | null } & Exclude<
      Meaning,
      { means: 'unknown' }
    >)
  | { kind: 'unknown'; ids: readonly string[]; networkCode: string | null }

const maxIdLength = 200
const maxCodeLength = 100

/** Reads an answer by the rules of a declaration; what no rule fits has the meaning of its status. */
export function readAnswer({ send }: Pick<Declaration, 'send'>, answer: HttpAnswer): Answered {
  const document = readDocument(answer.body)
  const list = send.each === undefined ? null : findList(document, send.each)
  const read = (part: unknown): Answered => {
    const rule = send.answers.find((each) => doesFit(each, answer.status, part))
    const networkCode = codeOf(part, send.network_code ?? [])
    return rule === undefined
      ? refusedAs(defaultMeaning(answer.status), networkCode ?? String(answer.status), answer)
      : ruled(rule, { part, networkCode, answer })
  }
  return list === null || list.length === 0 ? read(document) : joined(list.map(read))
}

function doesFit({ status, at, is, means, id }: AnswerRule, given: number, part: unknown): boolean {
  if (status !== undefined && !fitsStatus(status, given)) return false
  if (at !== undefined) {
    const values = findAll(part, at).map(textOf)
    const isThere =
      is === undefined ? values.length > 0 : values.some((value) => value !== null && isAmong(value, is))
    if (!isThere) return false
  }
  // An acceptance whose ID cannot be read is not understood, and so no acceptance.
  return means !== 'accepted' || id === undefined || idOf(findText(part, id)) !== null
}

const fitsStatus = (wanted: string, given: number): boolean =>
  wanted.endsWith('xx') ? String(given)[0] === wanted[0] : String(given) === wanted

const isAmong = (value: string, words: readonly string[]): boolean =>
  words.some((word) => {
    if (word.startsWith('*')) return value.endsWith(word.slice(1))
    return word.endsWith('*') ? value.startsWith(word.slice(0, -1)) : value === word
  })

interface Ruled {
  part: unknown
  networkCode: string | null
  answer: HttpAnswer
}

function ruled(rule: AnswerRule, { part, networkCode, answer }: Ruled): Answered {
  const { means, code, id, parts } = rule
  if (means === 'accepted') {
    const found = id === undefined ? null : idOf(findText(part, id))
    const counted = parts === undefined ? Number.NaN : Number(findText(part, parts) ?? Number.NaN)
    return {
      kind: 'accepted',
      ids: found === null ? [] : [found],
      parts: Number.isInteger(counted) && counted > 0 ? counted : null,
    }
  }
  if (means === 'unknown') return { kind: 'unknown', ids: [], networkCode }
  const shown = networkCode ?? String(answer.status)
  if (means === 'device') {
    const reason =
      code === 'provider_no_credit' || code === 'answer_not_understood' ? code : 'credentials_refused'
    return refusedAs({ means, reason }, shown, answer)
  }
  const usual = means === 'good' ? 'network_rejected' : 'network_congested'
  return refusedAs({ means, code: (code as RefusalCode | undefined) ?? usual }, shown, answer)
}

function refusedAs(meaning: Meaning, networkCode: string | null, { headers }: HttpAnswer): Answered {
  if (meaning.means === 'unknown') return { kind: 'unknown', ids: [], networkCode }
  const restMs = meaning.means === 'busy' ? retryAfterMs(headers['retry-after'], headers['date']) : null
  return { kind: 'refused', ...meaning, networkCode, restMs }
}

/** Joins the answers for the parts of a message: one that is unknown leaves the whole unknown. */
function joined(parts: readonly Answered[]): Answered {
  const taken = parts.filter((part) => part.kind === 'accepted')
  const ids = taken.flatMap((part) => part.ids)
  const counted = taken.map((part) => part.parts).find((count) => count !== null) ?? null
  if (taken.length === parts.length) return { kind: 'accepted', ids, parts: counted ?? parts.length }
  const unknown = parts.find((part) => part.kind === 'unknown')
  if (unknown?.kind === 'unknown') return { ...unknown, ids }
  const refused = parts.find((part) => part.kind === 'refused') as Extract<Answered, { kind: 'refused' }>
  if (taken.length === 0) return refused
  const code = refused.means === 'device' ? 'device_error' : refused.code
  return { kind: 'partial', ids, taken: taken.length, code, networkCode: refused.networkCode }
}

/** IDs are stored and matched: visible characters of a bounded length, or none. */
const idOf = (text: string | null): string | null =>
  text !== null && text.length <= maxIdLength && /^[\x21-\x7e]+$/.test(text) ? text : null

/** Returns the code at the first of these places that has one. */
function codeOf(part: unknown, places: Place | readonly Place[]): string | null {
  const text = [places]
    .flat()
    .map((each) => findText(part, each))
    .find((found) => found !== null)
  return text?.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, maxCodeLength) ?? null
}
