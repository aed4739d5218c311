import fc from 'fast-check'

/** The alphabet of TS 23.038, typed out a second time so that the program's table has something to be held to. */
export const GSM7_CHARACTERS =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
export const EXTENSION_CHARACTERS = '\f^{}\\[~]|€'

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export function clustersOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment)
}

/** Texts that GSM-7 carries, of one part to seven. */
export const gsm7Text = fc.string({
  unit: fc.constantFrom(...GSM7_CHARACTERS, ...EXTENSION_CHARACTERS),
  size: 'max',
  maxLength: 500,
})

const ALONE = ['я', '中', '가', 'か', 'ק', 'ع', 'ก', '©', '\t', '\r\n', '–', '😀', '👍🏽', '🇮🇹', '👨‍👩‍👧‍👦', '🏳️‍🌈']
const JOINING =
  '\u0301\u0316\u3099\u200d\ufe0f\u{1f3fd}\u{1f1ee}\u0600\u0e33\u1100\u1161\u11a8\u0915\u094d\u0937\u093f'

const times = (character: string, min: number, max: number) =>
  fc.integer({ min, max }).map((count) => character.repeat(count))

/** Texts of all that a splitter can stumble over: pairs, clusters, clusters longer than a part, half clusters. */
export const anyText = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...GSM7_CHARACTERS) },
      { weight: 2, arbitrary: fc.constantFrom(...EXTENSION_CHARACTERS) },
      { weight: 3, arbitrary: fc.constantFrom(...ALONE) },
      { weight: 3, arbitrary: fc.constantFrom(...JOINING) },
      times('\u0301', 2, 150),
      times('👨\u200d', 2, 40),
      times('\u{1f3fd}', 2, 80),
      times('\u0600', 30, 80),
      times('я', 50, 160),
    ),
    { size: 'max', maxLength: 120 },
  )
  .map((pieces) => pieces.join(''))
