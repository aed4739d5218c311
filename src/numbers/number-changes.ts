/**
 * Mobile numbers with two spellings: their country changed how they are written, while networks, phones and
 * customer lists kept the former spelling. Code that compares numbers must compare `presentSpelling`, and a
 * lookup must search for `everySpelling`. A row is added only if each spelling has exactly one counterpart,
 * and the former one is assigned to no other subscriber today.
 */

/** The former and the present spelling; each with the digits that both share. */
interface Change {
  former: RegExp
  present: RegExp
  toPresent: string
  toFormer: string
  /** The former spelling is also that of a fixed line. The number alone does not show which it is. */
  mayBeFixed: boolean
}

/**
 * Builds a change. Each spelling has its own digits before the shared ones: after the calling code, or after
 * an area code.
 */
function change(
  callingCode: string,
  [former, present]: [string, string],
  shared: string,
  { area = '', mayBeFixed = false } = {},
): Change {
  const spelled = (own: string): RegExp =>
    new RegExp(`^\\+${callingCode}(?<area>${area})${own}(?<shared>${shared})$`)
  return {
    former: spelled(former),
    present: spelled(present),
    toPresent: `+${callingCode}$<area>${present}$<shared>`,
    toFormer: `+${callingCode}$<area>${former}$<shared>`,
    mayBeFixed,
  }
}

const changes: readonly Change[] = [
  // Mexico, 3 August 2019: the 1 after +52 was dropped, and ten digits are one number in the whole country
  // (IFT; ITU communication of 12.VI.2018). Networks and WhatsApp still send +521 (chatwoot/chatwoot#14048).
  change('52', ['1', ''], '[2-9]\\d{9}'),
  // Argentina: from abroad, the 9 marks a mobile number. The digits after it are of the same ranges as fixed
  // lines (libphonenumber, AR), where a number is one or the other. Networks and WhatsApp send both
  // (chatwoot/chatwoot#14264).
  change('54', ['', '9'], '(?:11|[23]\\d)\\d{8}', { mayBeFixed: true }),
  // Brazil, 2012 to 6 November 2016: a 9 in front of the eight digits of every mobile number. Those that
  // begin with 2 to 5 are fixed lines, and those of Nextel, with 7, kept eight digits (Anatel;
  // libphonenumber, BR, to this day).
  change('55', ['', '9'], '[689]\\d{7}', { area: '[1-9][1-9]' }),
  // Ivory Coast, 31 January 2021: two digits of the carrier in front of eight. The carrier of a number
  // follows from its first two digits (ARTCI; libphonenumber's carrier/en/225.txt before the change). Ranges
  // without a carrier, or of one that no longer exists, are excluded.
  change('225', ['', '01'], '(?:0[1-3]|[457][0-3])\\d{6}'),
  change('225', ['', '05'], '[0456789][4-6]\\d{6}'),
  change('225', ['', '07'], '(?:[04578][7-9]|[69][78])\\d{6}'),
  // Benin, 30 November 2024: 01 in front of eight digits, for every carrier (ARCEP Bénin; libphonenumber's
  // carrier/en/229.txt has both).
  change('229', ['', '01'], '[24569]\\d{7}'),
]

/** Excludes nearly all numbers, which are of other countries. */
const changedCodes = /^\+(?:5[245]|22[59])/

/** Returns a number as its country writes it today; any other text unchanged. */
export function presentSpelling(number: string): string {
  if (!changedCodes.test(number)) return number
  const found = changes.find(({ former }) => former.test(number))
  return found === undefined ? number : number.replace(found.former, found.toPresent)
}

/**
 * Returns what to suggest for a number: its present spelling, if only a mobile number can be meant; else the
 * number unchanged.
 */
export const suggestedSpelling = (number: string): string =>
  changes.some(({ former, mayBeFixed }) => mayBeFixed && former.test(number))
    ? number
    : presentSpelling(number)

/** Returns the present spelling of a number and, if it has one, the former: all that may be stored. */
export function everySpelling(number: string): string[] {
  const present = presentSpelling(number)
  const found = changedCodes.test(present) ? changes.find((each) => each.present.test(present)) : undefined
  return found === undefined ? [present] : [present, present.replace(found.present, found.toFormer)]
}
