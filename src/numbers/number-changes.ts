/**
 * Mobile numbers that have two spellings, because their country changed how they are written while networks, phones and lists of customers kept the
 * former one. Whoever compares numbers compares `presentSpelling`, and whoever looks one up looks for `everySpelling`. A row stands here only where
 * each spelling has exactly one twin, and the former one belongs to nobody else today.
 */

/** What a former spelling is, and what the present one: each with the digits that both have. */
interface Change {
  former: RegExp
  present: RegExp
  toPresent: string
  toFormer: string
  /** The former spelling is that of a fixed line, too: a number is one or the other, and does not say which. */
  mayBeFixed: boolean
}

/** What each spelling has between the digits that they share: all behind the calling code, or some behind an area code. */
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
  // Mexico, 3 August 2019: the 1 behind +52 went, and ten digits are one number in all of the country (IFT; ITU communication of 12.VI.2018). Networks
  // and WhatsApp say +521 to this day (chatwoot/chatwoot#14048).
  change('52', ['1', ''], '[2-9]\\d{9}'),
  // Argentina: the 9 says that a number is a mobile one, from abroad; what stands behind it is of the same ranges as fixed lines (libphonenumber, AR), where a
  // number is one or the other. Networks and WhatsApp say both (chatwoot/chatwoot#14264).
  change('54', ['', '9'], '(?:11|[23]\\d)\\d{8}', { mayBeFixed: true }),
  // Brazil, 2012 to 6 November 2016: a 9 in front of the eight digits of every mobile number. Those that begin with 2 to 5 are fixed lines, and
  // those of Nextel, with 7, kept eight digits (Anatel; libphonenumber, BR, to this day).
  change('55', ['', '9'], '[689]\\d{7}', { area: '[1-9][1-9]' }),
  // Ivory Coast, 31 January 2021: the operator's two digits in front of eight; whose a number was its first two tell (ARTCI; libphonenumber's
  // carrier/en/225.txt before the change). Ranges that were nobody's or of an operator that has gone stay out.
  change('225', ['', '01'], '(?:0[1-3]|[457][0-3])\\d{6}'),
  change('225', ['', '05'], '[0456789][4-6]\\d{6}'),
  change('225', ['', '07'], '(?:[04578][7-9]|[69][78])\\d{6}'),
  // Benin, 30 November 2024: 01 in front of eight digits, whoever the operator is (ARCEP Bénin; libphonenumber's carrier/en/229.txt has both).
  change('229', ['', '01'], '[24569]\\d{7}'),
]

/** Nearly all numbers are of other countries. */
const changedCodes = /^\+(?:5[245]|22[59])/

/** A number as its country writes it today; any other text as it is. */
export function presentSpelling(number: string): string {
  if (!changedCodes.test(number)) return number
  const found = changes.find(({ former }) => former.test(number))
  return found === undefined ? number : number.replace(found.former, found.toPresent)
}

/** What to suggest in the place of a number: its present spelling, where nothing but a mobile number can be meant; else the number as it is. */
export const suggestedSpelling = (number: string): string =>
  changes.some(({ former, mayBeFixed }) => mayBeFixed && former.test(number))
    ? number
    : presentSpelling(number)

/** The present spelling of a number, and the former one if it has one: whatever may have been written down. */
export function everySpelling(number: string): string[] {
  const present = presentSpelling(number)
  const found = changedCodes.test(present) ? changes.find((each) => each.present.test(present)) : undefined
  return found === undefined ? [present] : [present, present.replace(found.present, found.toFormer)]
}
