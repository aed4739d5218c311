/**
 * Typographic characters that word processors insert for plain ones, and the GSM-7 characters that they look
 * like. Never a letter, mark or digit: replacing those changes words, names and amounts (½ would turn "1½"
 * into "11/2").
 */

/** Returns the GSM-7 text that can replace a character (a code point), or null if none looks like it. */
export function replacementFor(character: string): string | null {
  return replacements.get(character) ?? null
}

/** Replaces all look-alikes of a text. */
export function replaceLookAlikes(text: string): string {
  return text.replace(anyLookAlike, (character) => replacements.get(character) ?? character)
}

const lookAlikes: readonly [replacement: string, characters: string][] = [
  ['"', '\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2036\u275d\u275e\u301d\u301e\u301f'],
  ["'", '\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u2035\u275b\u275c`\u00b4'],
  ['-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\u2022\ufe58\ufe63'],
  ['...', '\u2026'],
  ['..', '\u2025'],
  ['.', '\u2024'],
  ['/', '\u2044\u2215'],
  ['!!', '\u203c'],
  [' ', '\t\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000'],
  ['\n', '\u2028\u2029'],
  // Soft hyphen, zero-width space, (non-)joiners, left-to-right mark, byte order mark: invisible.
  ['', '\u00ad\u200b\u200c\u200d\u200e\u2060\ufeff'],
]

const replacements: ReadonlyMap<string, string> = new Map([
  ...lookAlikes.flatMap(([replacement, characters]) =>
    Array.from(characters, (character): [string, string] => [character, replacement]),
  ),
  ...fullWidthPunctuation(),
])

// None of these characters has a meaning inside a character class.
const anyLookAlike = new RegExp(`[${[...replacements.keys()].join('')}]`, 'g')

/**
 * Yields U+FF01 to U+FF5E, which are ASCII in the width of an ideograph; the grave accent remains a quotation
 * mark as above.
 */
function* fullWidthPunctuation(): Iterable<[string, string]> {
  for (let unit = 0xff01; unit <= 0xff5e; unit++) {
    const ascii = String.fromCharCode(unit - 0xfee0)
    if (/[^0-9A-Za-z]/.test(ascii)) yield [String.fromCharCode(unit), ascii === '`' ? "'" : ascii]
  }
}
