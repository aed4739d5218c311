import { offWords } from '../../settings/off-words.ts'

/** What a person who answers may ask for with a word. */
export type Keyword = 'stop' | 'start' | 'help'

/** The language of words that are in use in many languages, and of the keyword set of an account that answers them (BCP 47: undetermined). */
export const anyLanguage = 'und'

/**
 * Each with its language. Those for STOP are the ones of 47 CFR 64.1200(a)(10) and what the field adds to them: ARRET, REMOVE and TD are among those that
 * AWS requires (docs.aws.amazon.com/sms-voice/latest/userguide/keywords-required.html), OPTOUT and REVOKE among Twilio's.
 */
const known: Readonly<Record<Keyword, ReadonlyMap<string, string>>> = {
  stop: new Map([
    ['STOP', anyLanguage], ['STOPALL', 'en'], ['UNSUBSCRIBE', 'en'], ['CANCEL', 'en'], ['END', 'en'], ['QUIT', 'en'], ['REVOKE', 'en'], ['OPTOUT', 'en'],
    ['REMOVE', 'en'], ['TD', anyLanguage], ['ARRET', 'fr'],
  ]),
  start: new Map([['START', anyLanguage], ['UNSTOP', 'en']]),
  help: new Map([['HELP', 'en'], ['INFO', anyLanguage]]),
} // prettier-ignore

/** Which words count as STOP, beside those that always do. */
export interface StopWords {
  /** What else counts. */
  more: readonly string[]
  /** Which of `offWords` do not. */
  off: readonly string[]
}

/** What a bare word means to an account that has keywords of its own; `off` is no keyword, though it is built in. */
export interface OwnWord {
  keyword: Keyword | 'off'
  language: string
}
export type OwnWords = ReadonlyMap<string, OwnWord>

/** What a text asks for, and in which language. */
export interface KeywordMatch {
  keyword: Keyword
  language: string
}

const usual: StopWords = { more: [], off: [] }
const noWords: OwnWords = new Map()

/** A longer text is no keyword, however it is written; most texts are told apart by this alone. */
const longestText = 80

/** What a text asks for where an account has no keywords of its own; see `matchKeyword`. */
export const readKeyword = (text: string, stopWords: StopWords = usual): Keyword | null =>
  matchKeyword(text, stopWords)?.keyword ?? null

/**
 * What a text asks for. It is a keyword as a whole: case, accents, punctuation, spaces and emoji do not matter. STOP, and what means nothing else,
 * counts too as the beginning of a text in front of a full stop, an exclamation mark, a comma or the end of its line, whatever follows (`Stop. Thank you`,
 * `No more, please` for an account with that word), and
 * in front of words of courtesy alone (`STOP please`). Within a sentence a word is none: `Stop by at 8`, `Stop and shop`. Null for every other text.
 * STOP is looked for before anything else: no word of an account can make a STOP something else.
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

/** The language of a word that is STOP; undefined where it is none. */
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

/** Whether a bare word is one of those that are written in a list. */
export function isListed(word: string, written: readonly string[]): boolean {
  const bare = bareLists.get(written) ?? new Set(written.map(bareWord))
  bareLists.set(written, bare)
  return bare.has(word)
}

/** Lists of settings live as long as their server, and are read for each text that comes in. */
const bareLists = new WeakMap<readonly string[], ReadonlySet<string>>()

/** What a bare word asks for by itself, whatever has been taken off; null for every other word. */
export const builtInKeyword = (word: string): Keyword | null =>
  (['stop', 'start', 'help'] as const).find((keyword) => known[keyword].has(word)) ?? null

/** The bare words of a text that could be keywords: the text as a whole, and what it begins with where that counts. Empty for what is none. */
function spokenWords(text: string): { whole: string; beginnings: string[] } {
  const isShort = text.length <= longestText
  const spoken = text.slice(0, longestText).replaceAll(unseen, '').replace(signsInFront, '')
  const sentences = beforeEach(spoken, ends).slice(0, maxEnds)
  const beginnings = [
    ...sentences.flatMap((sentence) => [sentence, ...beforeCourtesy(sentence)]),
    ...(isShort ? beforeCourtesy(spoken.replace(signsBehind, '')) : []),
  ].filter((beginning) => countWords(beginning) <= maxWords)
  return { whole: isShort ? bareWord(text) : '', beginnings: beginnings.map(bareWord) }
}

/** What stands before courtesies that end a text, the longest first. */
const beforeCourtesy = (text: string): string[] =>
  beforeEach(text, gaps)
    .slice(-maxGaps)
    .toReversed()
    .filter((beginning) => courtesies.has(bareWord(text.slice(beginning.length))))

const beforeEach = (text: string, sign: RegExp): string[] =>
  Array.from(text.matchAll(sign), ({ index }) => text.slice(0, index))

/** What has neither a letter nor a digit is no word. */
export const countWords = (text: string): number =>
  text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/** As many letters as a keyword of an account may have: what Braze takes. A longer one is a sentence. */
export const longestWord = 34

/** As many words as the beginning of a text may have to count: more are a sentence, and not worth a look-up. */
export const maxWords = 5

/** The bare words by which a text may be a keyword of an account; none for nearly every text that is a sentence. */
export const possibleKeywords = (text: string): string[] => {
  const { whole, beginnings } = spokenWords(text)
  return [...new Set([whole, ...beginnings])].filter((word) => word !== '' && word.length <= longestWord)
}

/** Ends of sentences and lines, but for the points of a number. A colon and a question mark begin something about the word. */
const ends = /(?<![?:]\s*)(?:[!;…。！，、．।۔،؛\r\n]|(?<!\p{N})[.,]|[.,](?!\p{N})|[-–—]\s)/gu
const signsInFront = /^[^\p{L}\p{N}]+/u
/** As many as can stand within a word of `longestWord` characters (`S.T.O.P.`). */
const maxEnds = 17
/** A sign takes its marks along: a variation of an emoji is no gap of its own. */
const gaps = /(?:[^\p{L}\p{M}\p{N}]\p{M}*)+/gu
const signsBehind = /(?:[^\p{L}\p{M}\p{N}]\p{M}*)+$/u
/** As many as the longest courtesy has (`s’il vous plaît`), and signs behind it. */
const maxGaps = 5

/** What people put behind a STOP out of courtesy, all of it. */
const courtesies: ReadonlySet<string> = new Set([
  'PLEASE', 'PLS', 'PLZ', 'THANKS', 'THANKYOU', 'THX', 'NOW', 'PLEASETHANKS', 'PLEASETHANKYOU', 'BITTE', 'DANKE', 'MERCI', 'SVP', 'SILVOUSPLAIT',
  'PORFAVOR', 'GRACIAS', 'PERFAVORE', 'GRAZIE', 'OBRIGADO', 'OBRIGADA', 'ALSTUBLIEFT', 'TACK',
]) // prettier-ignore

/**
 * Letters and digits alone, in capitals and without accents. Marks of Latin, Greek and Cyrillic letters are accents, those of Arabic and Hebrew ones are
 * vowels and the hamza of an alif, which many leave out. Those of other scripts are vowels without which a word is another one: they stay. A mark that no
 * letter carries goes with its sign.
 */
export const bareWord = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(unseen, '')
    .replaceAll(accents, '')
    .replaceAll(signs, '')
    .toUpperCase()
    .normalize('NFC')

/** Joiners, directions and variations: they change how a letter looks, and may stand in front of its marks. */
const unseen = /[\p{Cf}\p{Variation_Selector}\u034f]/gu
const accents =
  /(?<=[\p{N}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]\p{M}*)\p{M}/gu
const signs = /^\p{M}+|[^\p{L}\p{N}\p{M}]\p{M}*/gu
