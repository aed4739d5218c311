/**
 * The text of an SMS: which texts are rejected, which alphabet one needs, how many parts it costs, and the
 * parts themselves. Prices and submissions use this one splitter. Every function is linear in the text, for
 * any text.
 */

import { countSeptets, findGsm7PartEnds, isGsm7Character } from './gsm7.ts'
import { replaceLookAlikes, replacementFor } from './smart-encoding.ts'
import { findUcs2PartEnds, isPlain, startsPair } from './ucs2.ts'

export type SmsEncoding = 'gsm7' | 'ucs2'

/** `units` are septets in GSM-7 and UTF-16 units in UCS-2; `parts` is the cost per recipient. */
export type TextMeasure = { encoding: SmsEncoding; units: number; parts: number }

/** A character (code point) outside GSM-7. `index` is that of its first occurrence, in code points. */
export type Offending = {
  character: string
  code_point: string
  index: number
  count: number
  replacement: string | null
}

type TextFault = {
  code: 'invalid_unicode' | 'control_character' | 'blank'
  index: number
  detail: string
}

const singlePartSeptets = 160
const singlePartUtf16 = 70
const maxOffending = 50

/**
 * Returns encoding, units and parts of a text. `auto` selects GSM-7 if it can encode the whole text, else
 * UCS-2. With `gsm7`, a text that does not fit returns its offending characters. The empty text is one part
 * of 0 units.
 */
export function measureText(text: string, encoding: 'auto' | 'ucs2'): TextMeasure
export function measureText(
  text: string,
  encoding: 'auto' | SmsEncoding,
): TextMeasure | { notEncodable: Offending[] }
export function measureText(
  text: string,
  encoding: 'auto' | SmsEncoding,
): TextMeasure | { notEncodable: Offending[] } {
  if (encoding !== 'ucs2') {
    const septets = countSeptets(text)
    if (septets !== null) return { encoding: 'gsm7', units: septets, parts: countGsm7Parts(text, septets) }
    if (encoding === 'gsm7') return { notEncodable: offendingCharacters(text) }
  }
  return { encoding: 'ucs2', units: text.length, parts: countUcs2Parts(text) }
}

/**
 * Capacity of one of several joined parts, if a header leaves less room than the usual 153 septets or 67
 * units.
 */
export type PartRoom = { septets: number; utf16: number }

/**
 * Splits a text into its parts: joined they are the text, and `measureText` counts them, unless a smaller
 * `room` is given. Throws where `measureText` returns `notEncodable`.
 */
export function splitText(text: string, encoding: 'auto' | SmsEncoding, room?: PartRoom): string[] {
  const measure = measureText(text, encoding)
  if ('notEncodable' in measure) throw new RangeError('GSM-7 cannot carry this text')
  if (measure.parts === 1) return [text]
  const ends =
    measure.encoding === 'gsm7' ? findGsm7PartEnds(text, room?.septets) : findUcs2PartEnds(text, room?.utf16)
  return ends.map((end, part) => text.slice(ends[part - 1] ?? 0, end))
}

/**
 * Returns the characters that GSM-7 lacks, each once with its count, in the order of first occurrence; at
 * most 50.
 */
export function offendingCharacters(text: string): Offending[] {
  const found = new Map<string, Offending>()
  let index = 0
  for (const character of text) {
    if (!isGsm7Character(character)) {
      const known = found.get(character)
      if (known !== undefined) known.count++
      else if (found.size < maxOffending) found.set(character, describeOffending(character, index))
    }
    index++
  }
  return [...found.values()]
}

/**
 * Replaces look-alikes if, and only if, the whole text then fits GSM-7 and needs fewer parts than unchanged.
 */
export function applySmartEncoding(text: string): { text: string; applied: boolean } {
  if (countSeptets(text) !== null) return { text, applied: false }
  const replaced = replaceLookAlikes(text)
  const septets = countSeptets(replaced)
  const applied = septets !== null && countGsm7Parts(replaced, septets) < countUcs2Parts(text)
  return applied ? { text: replaced, applied } : { text, applied }
}

/**
 * Returns the number of parts with all look-alikes replaced; null if GSM-7 cannot encode the text even then.
 */
export function countPartsIfGsm7(text: string): number | null {
  const replaced = replaceLookAlikes(text)
  const septets = countSeptets(replaced)
  return septets === null ? null : countGsm7Parts(replaced, septets)
}

/**
 * Normalizes to Unicode NFC, and CRLF to LF (a lone CR stays). Runs of more than 256 combining marks are
 * normalized in pieces: the text stays canonically equivalent, while the sorting of marks, quadratic in a
 * run, stays bounded.
 */
export function normalizeText(raw: string): string {
  if (isPlain(raw)) return raw
  const text = raw.replaceAll('\r\n', '\n')
  if (text.length <= longestMarkRun) return text.normalize('NFC')
  const ends = [...text.matchAll(longMarkRuns)].flatMap(({ 0: run, index }) =>
    Array.from(run.matchAll(markRunPieces), (piece) => index + piece.index + piece[0].length),
  )
  return [...ends, text.length].map((end, i) => text.slice(ends[i - 1] ?? 0, end).normalize('NFC')).join('')
}

/**
 * Returns the first reason to reject a text: an unpaired surrogate, or a control character (C0, DEL, C1)
 * other than LF, CR, FF and TAB; else, if nothing in it is visible, that it is blank. `index` counts code
 * points.
 */
export function findTextFault(text: string): TextFault | null {
  let visible = false
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit > 0x20 && unit < 0x7f) visible = true
    else if (isForbiddenControl(unit)) return textFault('control_character', text, index)
    else if (unit >= 0xd800 && unit <= 0xdfff) {
      if (!startsPair(text, index)) return textFault('invalid_unicode', text, index)
      index++
    }
  }
  return visible || !blankText.test(text) ? null : textFault('blank', text, 0)
}

const longestMarkRun = 256
const longMarkRuns = new RegExp(`(?<!\\p{M})\\p{M}{${longestMarkRun},}`, 'gu')
const markRunPieces = new RegExp(`\\p{M}{${longestMarkRun}}`, 'gu')

// White space and invisible characters: format characters, fillers, variation selectors, the empty Braille
// cell.
const blankText = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]*$/u

const faultDetails: Record<TextFault['code'], string> = {
  invalid_unicode: 'The text contains an unpaired surrogate.',
  control_character: 'Control characters other than LF, CR, FF and TAB are not allowed in a text.',
  blank: 'The text contains no visible character.',
}

function textFault(code: TextFault['code'], text: string, unitIndex: number): TextFault {
  return { code, index: Array.from(text.slice(0, unitIndex)).length, detail: faultDetails[code] }
}

function isForbiddenControl(unit: number): boolean {
  if (unit >= 0x20) return unit >= 0x7f && unit < 0xa0
  return unit !== 0x0a && unit !== 0x0d && unit !== 0x0c && unit !== 0x09
}

function describeOffending(character: string, index: number): Offending {
  const hex = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  return { character, code_point: `U+${hex}`, index, count: 1, replacement: replacementFor(character) }
}

function countGsm7Parts(text: string, septets: number): number {
  return septets <= singlePartSeptets ? 1 : findGsm7PartEnds(text).length
}

function countUcs2Parts(text: string): number {
  return text.length <= singlePartUtf16 ? 1 : findUcs2PartEnds(text).length
}
