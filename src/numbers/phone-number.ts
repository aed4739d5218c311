/**
 * Validates the number of a recipient, and derives what its plan says about it. One number has exactly one
 * spelling here (E.164), because duplicates, opt-outs and limits compare spellings.
 */

import {
  findCallingCode,
  readInternationalNumber,
  type LineType,
  type NumberReading,
} from './numbering-plan.ts'
import { presentSpelling, suggestedSpelling } from './number-changes.ts'

/**
 * `fixed` is certainly no mobile number (fixed line, toll-free, pager, VoIP, …); `premium` costs its caller;
 * `unknown` covers what the plan does not distinguish, as in North America.
 */
export type PhoneKind = 'mobile' | 'fixed' | 'premium' | 'unknown'

export type PhoneNumber = {
  e164: string
  country: string | null
  kind: PhoneKind
  /**
   * Set if it has more digits than any number that its plan lists. Numbers of machines do, and so does a
   * number with a digit typed twice.
   */
  isOverlong?: true
}

/** Why a number is rejected: field code, a sentence without the number, and what may have been meant. */
type PhoneNumberFault = {
  fault: 'invalid_format' | 'invalid_number'
  detail: string
  suggestion: string | null
}

/**
 * Accepts a number in E.164 (ITU-T; `+`, then 7 to 15 digits) whose length is possible in its country, and
 * returns it with its country (ISO 3166 alpha-2, null if unknown) and kind. A longer one is accepted and
 * marked: the SIMs of machines have such numbers (Norway's of twelve digits, France's of thirteen), and plans
 * list few of them. Rejects every other spelling, a trunk prefix inside (`+49 0151…`), a former spelling that
 * no plan contains any more (`+52 1 55…`), unassigned calling codes, and short and emergency numbers.
 * Possible numbers that are in no range of the metadata are accepted: ranges are opened faster than data is
 * updated.
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

/** Masks a number for logs: calling code and last two digits, not even the length. Accepts any string. */
export function maskPhoneNumber(e164: string): string {
  const callingCode = e164Form.test(e164) ? findCallingCode(e164) : null
  return callingCode === null ? '+***' : `+${callingCode}***${e164.slice(-2)}`
}

/**
 * Masks a number as a network writes it, with or without the plus. Anything else, such as a name, is masked
 * completely.
 */
export const maskNumber = (number: string): string => {
  const digits = /^(?:\+|00)?([1-9][0-9]{6,14})$/.exec(number)?.[1]
  return digits === undefined ? '***' : maskPhoneNumber(`+${digits}`)
}

const e164Form = /^\+[1-9][0-9]{6,14}$/

const formatDetail =
  'Write the number in E.164: a plus sign, the calling code and the national number, 7 to 15 digits in all, and ' +
  'nothing else. Short and emergency numbers cannot be reached.'
const formerDetail = 'The number is written as it was before its country changed its mobile numbers.'
const trunkDetail = 'The number contains a prefix that is only dialled inside its country.'

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
 * Detects short and emergency numbers. Most (`+49110`) are too short for E.164 here. Open plans such as
 * Germany's also allow longer ones, such as 116 117: no range of the plan contains them, and no mobile number
 * is as short.
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
 * Removes the characters that people, phones and spreadsheets put into a number (spaces, dashes, brackets,
 * dots, slashes, direction marks), and converts variants such as full width to ASCII. Footnote signs are
 * kept: a superscript 2 is no digit.
 */
export const withoutSeparators = (text: string): string =>
  text.replaceAll(/\P{No}+/gu, (run) => run.normalize('NFKC')).replaceAll(separators, '')

const longestToSuggestFrom = 64
/**
 * Without a plus or 00, only a number longer than any national number without its trunk prefix is certainly
 * international.
 */
const internationalForm = /(?<=^(?:\+(?:00)?|00))[1-9][0-9]{6,14}$|^[1-9][0-9]{11,14}$/
/** RFC 3966 and 5724. A URI with parameters contains more than a number. */
const uriScheme = /^\s*(?:tel|sms|smsto):/i
/**
 * A superscript is no digit of the number, nor is a number of its own in brackets or after a slash at the
 * end: with it, the number would belong to another subscriber.
 */
const superscript = /\p{No}/u
const footnote = /[([/]\s*[0-9]{1,2}\s*[)\]]?\s*$/

/**
 * Returns what `+49 (0)151 / 123-456 78`, `0049…`, `tel:+49…` and digits of any script mean; null for a text
 * without a calling code.
 */
function suggestE164(raw: string): string | null {
  if (raw.length > longestToSuggestFrom || superscript.test(raw)) return null
  const plain = raw
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, digitOf)
    .replace(uriScheme, '')
  if (footnote.test(plain)) return null
  const found = internationalForm.exec(withoutSeparators(plain))
  const reading = found === null ? null : readInternationalNumber(`+${found[0]}`)
  if (reading === null) return null
  const canonical = suggestedSpelling(spellingOf(reading))
  return isAcceptable(canonical) ? canonical : null
}

/**
 * Returns the value of a digit. The decimal digits of every script form a run of ten, from its zero on (The
 * Unicode Standard, section 4.6).
 */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1
  return String(value)
}

/**
 * Returns whether a spelling is accepted as it is and has a length that its plan knows. A guess must be
 * likely: a number without its prefix may be short, or have another prefix.
 */
function isAcceptable(e164: string): boolean {
  const reading = e164Form.test(e164) ? readInternationalNumber(e164) : null
  return reading !== null && findFault(reading) === null && spellingOf(reading) === e164
}

function spellingOf({ callingCode, nationalNumber }: NumberReading): string {
  return `+${callingCode}${nationalNumber}`
}
