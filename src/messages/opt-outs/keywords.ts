import { offWords } from '../../settings/off-words.ts'

/** What a recipient can request with a word. */
export type Keyword = 'stop' | 'start' | 'help'

/**
 * The language of words that are used in many languages, and of the keyword set that answers them (BCP 47:
 * undetermined).
 */
export const anyLanguage = 'und'

/**
 * Each word with its language. The STOP words are those of 47 CFR 64.1200(a)(10) and additions of the field:
 * AWS requires ARRET, REMOVE and TD (docs.aws.amazon.com/sms-voice/latest/userguide/keywords-required.html);
 * OPTOUT and REVOKE are among Twilio's.
 */
const known: Readonly<Record<Keyword, ReadonlyMap<string, string>>> = {
  stop: new Map([
    ['STOP', anyLanguage], ['STOPALL', 'en'], ['UNSUBSCRIBE', 'en'], ['CANCEL', 'en'], ['END', 'en'], ['QUIT', 'en'], ['REVOKE', 'en'], ['OPTOUT', 'en'],
    ['REMOVE', 'en'], ['TD', anyLanguage], ['ARRET', 'fr'],
  ]),
  start: new Map([['START', anyLanguage], ['UNSTOP', 'en']]),
  help: new Map([['HELP', 'en'], ['INFO', anyLanguage]]),
} // prettier-ignore

/** Changes to the built-in STOP words. */
export interface StopWords {
  /** Additional STOP words. */
  more: readonly string[]
  /** The words of `offWords` that are turned off. */
  off: readonly string[]
}

/** The meaning of a bare word for an account with keywords of its own; `off` turns off a built-in word. */
export interface OwnWord {
  keyword: Keyword | 'off'
  language: string
}
export type OwnWords = ReadonlyMap<string, OwnWord>

/** The request of a text, with its language. */
export interface KeywordMatch {
  keyword: Keyword
  language: string
}

const usual: StopWords = { more: [], off: [] }
const noWords: OwnWords = new Map()

/** A longer text is never a keyword; this test alone rules out most texts. */
const longestText = 80

/**
 * Returns the request of a text, or null. The whole text must be a keyword; case, accents, punctuation,
 * spaces and emoji are ignored.
 *
 * STOP, and words that mean nothing else, also count at the beginning of a text: before a full stop, an
 * exclamation mark, a comma or the end of the line, regardless of what follows (`Stop. Thank you`, `No more,
 * please` for an account with that word), and before nothing but words of courtesy (`STOP please`). Within a
 * sentence a word does not count: `Stop by at 8`, `Stop and shop`.
 *
 * STOP is matched first: an account's own words cannot change the meaning of STOP.
 */
export function matchKeyword(
  text: string,
  stopWords: StopWords = usual,
  own: OwnWords = noWords,
): KeywordMatch | null {
  const { whole, beginnings } = spokenWords(text)
  const stop = [whole, ...beginnings]
    .map((word, index) => stopLanguage(word, { stopWords, own, isWhole: index === 0 }))
    .find((language) => language !== undefined)
  if (stop !== undefined) return { keyword: 'stop', language: stop }
  for (const keyword of ['start', 'help'] as const) {
    const mine = own.get(whole)
    const language = mine?.keyword === keyword ? mine.language : known[keyword].get(whole)
    if (language !== undefined) return { keyword, language }
  }
  return null
}

/** Returns the language of a word that means STOP; undefined for other words. */
function stopLanguage(
  word: string,
  { stopWords, own, isWhole }: { stopWords: StopWords; own: OwnWords; isWhole: boolean },
): string | undefined {
  if (word === '') return undefined
  const mine = own.get(word)
  const builtIn = known.stop.get(word)
  const language = mine?.keyword === 'stop' ? mine.language : (builtIn ?? anyLanguage)
  if (isListed(word, stopWords.more)) return language
  const mayBeOff = offWords.includes(word)
  if (mine?.keyword === 'stop' && (isWhole || !mayBeOff)) return language
  const isOff = mayBeOff && (!isWhole || stopWords.off.includes(word) || mine?.keyword === 'off')
  return isOff || builtIn === undefined ? undefined : language
}

/** True if a bare word is in a list of words as written. */
export function isListed(word: string, written: readonly string[]): boolean {
  const bare = bareLists.get(written) ?? new Set(written.map(bareWord))
  bareLists.set(written, bare)
  return bare.has(word)
}

/** Lists of settings live as long as their server, and are read for each received text. */
const bareLists = new WeakMap<readonly string[], ReadonlySet<string>>()

/** Returns the built-in meaning of a bare word, even if it is turned off; null for other words. */
export const builtInKeyword = (word: string): Keyword | null =>
  (['stop', 'start', 'help'] as const).find((keyword) => known[keyword].has(word)) ?? null

/**
 * Returns the bare words of a text that could be keywords: the whole text, and its beginnings where they
 * count. Empty strings are no keywords.
 */
function spokenWords(text: string): { whole: string; beginnings: string[] } {
  const isShort = text.length <= longestText
  const spoken = withoutSignsBefore(text.slice(0, longestText).replaceAll(unseen, ''))
  const sentences = beforeEach(spoken, ends).slice(0, maxEnds)
  const beginnings = [
    ...sentences.flatMap((sentence) => [sentence, ...beforeCourtesy(sentence)]),
    ...(isShort ? beforeCourtesy(spoken.replace(signsAfter, '')) : []),
  ].filter((beginning) => countWords(beginning) <= maxWords)
  return { whole: isShort ? bareWord(text) : '', beginnings: beginnings.map(bareWord) }
}

/** Removes the signs before the first word. One that stands for a letter, such as ⒜, is no sign. */
function withoutSignsBefore(text: string): string {
  const characters = Array.from(text)
  const first = characters.findIndex((character) => /[\p{L}\p{N}]/u.test(character.normalize('NFKD')))
  return first === -1 ? '' : characters.slice(first).join('')
}

/** Returns the texts before courtesies that end the text, the longest first. */
const beforeCourtesy = (text: string): string[] =>
  beforeEach(text, gaps)
    .slice(-maxGaps)
    .toReversed()
    .filter((beginning) => courtesies.has(bareWord(text.slice(beginning.length))))

const beforeEach = (text: string, sign: RegExp): string[] =>
  Array.from(text.matchAll(sign), ({ index }) => text.slice(0, index))

/** Something without letters and digits is not a word. */
export const countWords = (text: string): number =>
  text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/** Maximum letters of an account's keyword, as at Braze. A longer one is a sentence. */
export const maxKeywordLetters = 34

/** Maximum words of a beginning that counts: more are a sentence, and not worth a lookup. */
export const maxWords = 5

/** Returns the bare words by which a text can be a keyword of an account; none for most sentences. */
export const possibleKeywords = (text: string): string[] => {
  const { whole, beginnings } = spokenWords(text)
  return [...new Set([whole, ...beginnings])].filter(
    (word) => word !== '' && word.length <= maxKeywordLetters,
  )
}

/**
 * Ends of sentences and lines, except for points within a number. After a colon or a question mark, the text
 * is about the word.
 */
const ends = /(?<![?:]\s*)(?:[!;…。！，、．।۔،؛\r\n]|(?<!\p{N})[.,]|[.,](?!\p{N})|[-–—]\s)/gu
/** The maximum within a word of `maxKeywordLetters` characters (`S.T.O.P.`). */
const maxEnds = 17
/** A sign includes its marks: a variation selector of an emoji is not a gap of its own. */
const gaps = /(?:[^\p{L}\p{M}\p{N}]\p{M}*)+/gu
const signsAfter = /(?:[^\p{L}\p{M}\p{N}]\p{M}*)+$/u
/** The gaps of the longest courtesy (`s’il vous plaît`), and signs after it. */
const maxGaps = 5

/** Complete words of courtesy that people add after a STOP. */
const courtesies: ReadonlySet<string> = new Set([
  'PLEASE', 'PLS', 'PLZ', 'THANKS', 'THANKYOU', 'THX', 'NOW', 'PLEASETHANKS', 'PLEASETHANKYOU', 'BITTE', 'DANKE', 'MERCI', 'SVP', 'SILVOUSPLAIT',
  'PORFAVOR', 'GRACIAS', 'PERFAVORE', 'GRAZIE', 'OBRIGADO', 'OBRIGADA', 'ALSTUBLIEFT', 'TACK',
]) // prettier-ignore

/**
 * Reduces a text to letters and digits, in capitals and without accents. Marks of Latin, Greek and Cyrillic
 * letters are accents; those of Arabic and Hebrew letters are vowels and the hamza of an alif, which many
 * people omit. Marks of other scripts are vowels that change the word: they stay. A mark without a letter is
 * removed with its sign.
 */
export const bareWord = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(unseen, '')
    .replaceAll(accents, '')
    .replaceAll(signs, '')
    .toUpperCase()
    .normalize('NFC')

/** Joiners, directions and variations: they change how a letter looks, and can precede its marks. */
const unseen = /[\p{Cf}\p{Variation_Selector}\u034f]/gu
const accents =
  /(?<=[\p{N}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]\p{M}*)\p{M}/gu
const signs = /^\p{M}+|[^\p{L}\p{N}\p{M}]\p{M}*/gu
