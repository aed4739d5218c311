/**
 * What a recipient's number must look like, and what can be said about it without asking anyone. One number has
 * one spelling here (E.164), because duplicates, opt-outs and limits compare spellings.
 */

import {
  findCallingCode,
  readInternationalNumber,
  type LineType,
  type NumberReading,
} from './numbering-plan.ts'
import { presentSpelling, suggestedSpelling } from './number-changes.ts'

/**
 * `fixed` is a number that is certainly not a mobile one (fixed line, toll-free, pager, VoIP, …), `premium` one
 * that costs its caller; `unknown` covers what the plan does not tell apart, as in North America.
 */
export type PhoneKind = 'mobile' | 'fixed' | 'premium' | 'unknown'

export type PhoneNumber = {
  e164: string
  country: string | null
  kind: PhoneKind
  /** It has more digits than any number that its plan tells of: numbers of machines do, and so does one with a digit typed twice. */
  isOverlong?: true
}

/** Why a number is refused: field code, a sentence that does not repeat the number, and what may have been meant. */
type PhoneNumberFault = {
  fault: 'invalid_format' | 'invalid_number'
  detail: string
  suggestion: string | null
}

/**
 * Takes a number in E.164 (ITU-T; `+`, then 7 to 15 digits) whose length is possible in its country, and gives it
 * back with its country (ISO 3166 alpha-2, null when the number does not tell) and kind. One that is longer than that is taken and marked: the SIMs of
 * machines have such numbers (Norway's of twelve digits, France's of thirteen), and plans tell of few of them. Refuses every other
 * spelling, a trunk prefix inside (`+49 0151…`), a former spelling that no plan has any more (`+52 1 55…`), unassigned calling codes, and short and emergency numbers.
 * Numbers that are possible but in no range of the metadata are taken: ranges are opened faster than data is updated.
 */
export function parsePhoneNumber(raw: string): PhoneNumber | PhoneNumberFault {
  if (!e164Form.test(raw))
    return { fault: 'invalid_format', detail: formatDetail, suggestion: suggestE164(raw) }
  const reading = readInternationalNumber(raw)
  if (reading === null) return invalidNumber('No country uses this calling code.')
  const detail = findFault(reading)
  const isOverlong = reading.length === 'too_long'
  if (detail !== null) {
    const present = presentSpelling(raw)
    if (present !== raw && isAcceptable(present)) return invalidNumber(formerDetail, present)
    if (!isOverlong) return invalidNumber(detail)
  }
  const canonical = spellingOf(reading)
  if (canonical !== raw) return invalidNumber(trunkDetail, isAcceptable(canonical) ? canonical : null)
  const { country, lineType } = reading
  return { e164: raw, country, kind: kindOf(lineType), ...(isOverlong && { isOverlong }) }
}

/** A number as logs may show it: calling code and last two digits, not even the length. Takes any string. */
export function maskPhoneNumber(e164: string): string {
  const callingCode = e164Form.test(e164) ? findCallingCode(e164) : null
  return callingCode === null ? '+***' : `+${callingCode}***${e164.slice(-2)}`
}

/** The same for a number as a network writes it, with or without the plus; of what is none, such as a name, nothing is left. */
export const maskNumber = (number: string): string => {
  const digits = /^(?:\+|00)?([1-9][0-9]{6,14})$/.exec(number)?.[1]
  return digits === undefined ? '***' : maskPhoneNumber(`+${digits}`)
}

const e164Form = /^\+[1-9][0-9]{6,14}$/

const formatDetail =
  'Write the number in E.164: a plus sign, the calling code and the national number, 7 to 15 digits in all, and ' +
  'nothing else. Short and emergency numbers cannot be reached.'
const formerDetail = 'The number is written as it was before its country changed its mobile numbers.'
const trunkDetail = 'The number holds a prefix that is only dialled inside its country.'

const lengthDetails: Record<Exclude<NumberReading['length'], 'possible'>, string> = {
  too_short: 'The number is too short for its country.',
  too_long: 'The number is too long for its country.',
  never_used: 'No number of its country has this length.',
}

function invalidNumber(detail: string, suggestion: string | null = null): PhoneNumberFault {
  return { fault: 'invalid_number', detail, suggestion }
}

function findFault(reading: NumberReading): string | null {
  if (reading.length !== 'possible') return lengthDetails[reading.length]
  return isShortNumber(reading) ? 'Short and emergency numbers cannot be reached.' : null
}

/**
 * Emergency numbers and most short ones (`+49110`) are too short for E.164 here. Plans as open as Germany's also
 * leave room for the longer ones, such as 116 117: no range of the plan holds them and no mobile number is as short.
 */
function isShortNumber({ nationalNumber, lineType, asLongAsMobile }: NumberReading): boolean {
  return nationalNumber.length <= 6 && lineType === null && !asLongAsMobile
}

function kindOf(lineType: LineType): PhoneKind {
  if (lineType === null || lineType === 'FIXED_LINE_OR_MOBILE') return 'unknown'
  if (lineType === 'MOBILE') return 'mobile'
  return lineType === 'PREMIUM_RATE' ? 'premium' : 'fixed'
}

const separators = /[\s\p{Cf}\p{Pd}\u2212()[\]./~]/gu

/**
 * The characters of a number without those that people, phones and spreadsheets put between them (blanks, dashes, brackets, dots, slashes, marks
 * of direction), and in ASCII where they are another form of it, such as full width. Signs of footnotes stay as they are: a small 2 is no digit.
 */
export const withoutSeparators = (text: string): string =>
  text.replaceAll(/\P{No}+/gu, (run) => run.normalize('NFKC')).replaceAll(separators, '')

const longestToSuggestFrom = 64
/** Without a plus or 00 only what is longer than any national number, as it stands without its trunk prefix, can be nothing else. */
const internationalForm = /^(?:(?:\+(?:00)?|00)([1-9][0-9]{6,14})|([1-9][0-9]{11,14}))$/
/** RFC 3966 and 5724; one with parameters says more than a number. */
const uriScheme = /^\s*(?:tel|sms|smsto):/i
/** A superscript is no digit of the number, nor is what stands by itself in brackets or behind a slash at its end: it would make it a stranger's. */
const superscript = /\p{No}/u
const footnote = /[([/]\s*[0-9]{1,2}\s*[)\]]?\s*$/

/** What `+49 (0)151 / 123-456 78`, `0049…`, `tel:+49…` and digits of any script mean; null for everything that does not say its calling code. */
function suggestE164(raw: string): string | null {
  if (raw.length > longestToSuggestFrom || superscript.test(raw)) return null
  const plain = raw
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, digitOf)
    .replace(uriScheme, '')
  if (footnote.test(plain)) return null
  const found = internationalForm.exec(withoutSeparators(plain))
  const digits = found?.[1] ?? found?.[2]
  const reading = digits === undefined ? null : readInternationalNumber(`+${digits}`)
  if (reading === null) return null
  const canonical = suggestedSpelling(spellingOf(reading))
  return isAcceptable(canonical) ? canonical : null
}

/** The decimal digits of every script stand in a run of ten, from its zero on (The Unicode Standard, section 4.6). */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1
  return String(value)
}

/** Whether a spelling would be taken as it is, and has a length that its plan knows, since what is guessed must be likely: a number without its prefix may be short, or have another prefix. */
function isAcceptable(e164: string): boolean {
  const reading = e164Form.test(e164) ? readInternationalNumber(e164) : null
  return reading !== null && findFault(reading) === null && spellingOf(reading) === e164
}

function spellingOf({ callingCode, nationalNumber }: NumberReading): string {
  return `+${callingCode}${nationalNumber}`
}
