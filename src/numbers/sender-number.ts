// Who sent a received message, as a number that can be written to. Opt-outs, conversations and answers on shared devices compare
// spellings, so that this is decided in one place, once, before the message is stored.

import {
  callingCodeOf,
  callingCodes,
  internationalPrefixOf,
  readInternationalNumber,
} from './numbering-plan.ts'
import { presentSpelling } from './number-changes.ts'
import { parsePhoneNumber, withoutSeparators } from './phone-number.ts'

export type SenderKind = 'national' | 'bare' | 'other'

/** What is known of a sender beside its spelling. */
interface SenderFacts {
  /**
   * What the network says of the number: to be dialled within its country alone, or none of a subscriber. `bare` are digits of a device that writes a
   * plus wherever it knows of one: mostly national. Left out where nothing is told.
   */
  is?: SenderKind | undefined
  /** Whose national numbers are meant (ISO 3166 alpha-2); null or empty where nobody has said so. */
  country?: string | null | undefined
}

/**
 * Takes a sender as the device gave it, and gives it in E.164 where it is certain enough to act upon; everything else comes back as it was: names,
 * short codes, and national numbers of a country that nobody has named. `+` and `00` say that a number is international. Bare digits of which the network
 * says nothing are international too, as networks that leave out the type (SMPP 3.4, section 5.2.5: 0) mostly mean; where a country is named,
 * what can be a mobile number there goes first, unless the digits begin with its calling code and are one behind that. What stands between
 * digits says nothing: phones write it. A prefix that is dialled within a country is taken off a national number, and off bare digits that are a mobile
 * number without it and none with it (`49 0151 …`): inside of what says itself to be international nobody knows whose it is.
 */
export function readSender(from: string, facts: SenderFacts = {}): string {
  if (from.length > longestSender) return from
  const bare = withoutSeparators(from)
  if (/^\+\d{4,17}$/.test(bare)) return marked(bare.slice(1)) ?? from
  if (!bareDigits.test(bare)) return from
  const read = readDigits(bare, facts)
  return read === bare ? from : read
}

function readDigits(from: string, { is, country }: SenderFacts): string {
  if (is === 'other') return wholeMobile(from) ?? from
  const callingCode = country ? callingCodeOf(country) : null
  const abroad = country ? behindPrefix(from, country) : null
  if (is === undefined && from.startsWith('00')) return marked(from.slice(2)) ?? from
  const national = callingCode === null ? null : dialledWithin(callingCode, from)
  const own = callingCode !== null && from.startsWith(callingCode) ? international(from) : null
  const readings =
    is !== undefined
      ? [national, own, abroad]
      : [own, national, abroad, international(from), withoutTrunk(from)]
  const possible = readings.filter((reading) => reading !== null)
  return possible.find(mayBeMobile) ?? possible[0] ?? from
}

/** Whether the number says, by its plan, that it is one that writes: a national reading of it is no chance. */
export const isMobile = (sender: string): boolean => sender.startsWith('+') && mayBeMobile(sender)

/**
 * Every number, of any country, that a national sender may be, with a trunk prefix or without: each plan has its own. Where the network has not said
 * that it is national, the one that its digits are by themselves, too, longer than its plan knows or not: some leave out the plus. That one alone where the
 * network has said nothing. None for what is no number.
 */
export function possibleSenders(from: string, is: Exclude<SenderKind, 'other'> | undefined): string[] {
  const bare = from.length > longestSender ? '' : withoutSeparators(from)
  if (!bareDigits.test(bare)) return []
  const numbers =
    is === undefined ? [] : [...callingCodes].map((callingCode) => dialledWithin(callingCode, bare))
  if (is !== 'national') numbers.push(marked(bare))
  return [...new Set(numbers)].filter((number) => number !== null)
}

const longestSender = 64
const bareDigits = /^\d{4,17}$/

/**
 * What is known to be international; null when no such number is possible. One in a former spelling that its country has given up is the present one.
 */
function marked(digits: string): string | null {
  const number = `+${digits}`
  for (const each of [number, presentSpelling(number)]) if ('e164' in parsePhoneNumber(each)) return each
  return null
}

/** The same of what may be international: one that is longer than its plan knows is more likely another country's. */
function international(digits: string): string | null {
  const number = marked(digits)
  return number === null || isOverlong(number) ? null : number
}

/** The same of a number of one country, as it is dialled there: a trunk prefix is taken off. */
function dialledWithin(callingCode: string, digits: string): string | null {
  const number = parsePhoneNumber(`+${callingCode}${digits}`)
  if ('e164' in number) return number.isOverlong ? null : number.e164
  return number.fault === 'invalid_number' ? number.suggestion : null
}

/** A mobile number whose calling code is followed by the prefix that is dialled within its country; null for what is none, or is a number as it stands. */
function withoutTrunk(digits: string): string | null {
  const number = parsePhoneNumber(`+${digits}`)
  const meant = 'e164' in number || number.fault !== 'invalid_number' ? null : number.suggestion
  return meant !== null && mayBeMobile(meant) ? meant : null
}

const isOverlong = (e164: string): boolean => readInternationalNumber(e164)?.length === 'too_long'

/** A number of another country, as it is dialled in this one. */
function behindPrefix(digits: string, country: string): string | null {
  const prefix = internationalPrefixOf(country)
  return prefix !== null && digits.startsWith(prefix) ? international(digits.slice(prefix.length)) : null
}

/** What networks call a special number may be a short code, or a whole number whose type they got wrong: the length of a mobile number tells. */
function wholeMobile(digits: string): string | null {
  const number = international(digits)
  return number !== null && mayBeMobile(number) ? number : null
}

/** Few write from anything else. */
function mayBeMobile(e164: string): boolean {
  const lineType = readInternationalNumber(e164)?.lineType ?? null
  return lineType === 'MOBILE' || lineType === 'FIXED_LINE_OR_MOBILE'
}
