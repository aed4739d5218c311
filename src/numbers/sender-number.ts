// Normalizes the sender of a received message to a number that can be sent to. Opt-outs, conversations and
// replies on shared devices compare spellings, so this is decided in one place, once, before the message is
// stored.

import {
  callingCodeOf,
  callingCodes,
  internationalPrefixOf,
  readInternationalNumber,
} from './numbering-plan.ts'
import { presentSpelling } from './number-changes.ts'
import { parsePhoneNumber, withoutSeparators } from './phone-number.ts'

export type SenderKind = 'national' | 'bare' | 'other'

/** What is known of a sender in addition to its spelling. */
interface SenderFacts {
  /**
   * Type of number by the network: only dialled within its country (`national`), or not of a subscriber
   * (`other`). `bare` are digits from a device that writes a plus if it knows of one: mostly national.
   * Undefined if the network gives no type.
   */
  is?: SenderKind | undefined
  /** Country whose national numbers are meant (ISO 3166 alpha-2); null or empty if unknown. */
  country?: string | null | undefined
}

/**
 * Returns a sender in E.164 if that is certain enough to act on; everything else unchanged: names, short
 * codes, and national numbers of an unknown country. `+` and `00` mark an international number. Bare digits
 * without a type are international too, which is mostly what networks mean that omit the type (SMPP 3.4,
 * section 5.2.5: 0). If a country is known, a possible mobile number of it has priority, unless the digits
 * begin with its calling code and what follows is one. Separators mean nothing: phones insert them. A prefix
 * that is dialled within a country is removed from a national number, and from bare digits that are a mobile
 * number only without it (`49 0151 …`): inside a number marked as international its meaning is unknown.
 */
export function parseSender(from: string, facts: SenderFacts = {}): string {
  if (from.length > longestSender) return from
  const bare = withoutSeparators(from)
  if (bare.startsWith('+')) return marked(bare.slice(1)) ?? from
  if (!bareDigits.test(bare)) return from
  const read = readDigits(bare, facts)
  return read === bare ? from : read
}

function readDigits(from: string, { is, country }: SenderFacts): string {
  if (is === 'other') return wholeMobile(from) ?? from
  const callingCode = country ? callingCodeOf(country) : null
  const abroad = country ? afterPrefix(from, country) : null
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

/**
 * Returns whether the plan shows that this is a mobile number, which can send SMS: a national reading of it
 * is not by chance.
 */
export const isMobile = (sender: string): boolean => sender.startsWith('+') && mayBeMobile(sender)

/**
 * Returns every number, of any country, that a national sender may be, with or without a trunk prefix: each
 * plan has its own. If the network has not marked it as national, also the number that the digits are by
 * themselves, even if longer than its plan knows: some networks omit the plus. Without a type only that
 * number. Empty for a text that is no number.
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
 * Reads digits known to be international; returns null if no such number is possible. A former spelling is
 * replaced by the present one if only that is valid.
 */
function marked(digits: string): string | null {
  const number = `+${digits}`
  for (const each of [number, presentSpelling(number)]) if ('e164' in parsePhoneNumber(each)) return each
  return null
}

/**
 * Reads digits that may be international. A number that is longer than its plan knows is more likely a number
 * of another country.
 */
function international(digits: string): string | null {
  const number = marked(digits)
  return number === null || isOverlong(number) ? null : number
}

/** Reads a number of one country, as it is dialled there: a trunk prefix is removed. */
function dialledWithin(callingCode: string, digits: string): string | null {
  const number = parsePhoneNumber(`+${callingCode}${digits}`)
  if ('e164' in number) return number.isOverlong ? null : number.e164
  return number.fault === 'invalid_number' ? number.suggestion : null
}

/**
 * Reads a mobile number with the national dialling prefix after its calling code; returns null for anything
 * else, and for a number that is valid unchanged.
 */
function withoutTrunk(digits: string): string | null {
  const number = parsePhoneNumber(`+${digits}`)
  const meant = 'e164' in number || number.fault !== 'invalid_number' ? null : number.suggestion
  return meant !== null && mayBeMobile(meant) ? meant : null
}

const isOverlong = (e164: string): boolean => readInternationalNumber(e164)?.length === 'too_long'

/** Reads a number of another country, as it is dialled in this one. */
function afterPrefix(digits: string, country: string): string | null {
  const prefix = internationalPrefixOf(country)
  return prefix !== null && digits.startsWith(prefix) ? international(digits.slice(prefix.length)) : null
}

/**
 * Reads a number that the network calls special: a short code, or a whole number with a wrong type. The
 * length of a mobile number tells.
 */
function wholeMobile(digits: string): string | null {
  const number = international(digits)
  return number !== null && mayBeMobile(number) ? number : null
}

/** Few senders are anything else. */
function mayBeMobile(e164: string): boolean {
  const lineType = readInternationalNumber(e164)?.lineType ?? null
  return lineType === 'MOBILE' || lineType === 'FIXED_LINE_OR_MOBILE'
}
