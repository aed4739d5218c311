import type { Fault } from '../../runtime/errors.ts'
import { offWords } from '../../settings/off-words.ts'
import { findTextFault, measureText } from '../../sms/sms-text.ts'
import {
  anyLanguage,
  bareWord,
  builtInKeyword,
  countWords,
  isListed,
  maxKeywordLetters,
  matchKeyword,
  maxWords,
  type OwnWord,
  possibleKeywords,
} from './keywords.ts'

/** The keywords of an account in one language, with its answers in that language. */
export interface KeywordSet {
  /**
   * A BCP 47 subtag. `und` is the set for built-in words of no language; its answers are the default for all
   * other sets.
   */
  language: string
  stop: readonly string[]
  start: readonly string[]
  help: readonly string[]
  /** Built-in words that are turned off for the account; only in `und`. */
  off: readonly string[]
  /** Null for the answer of `und`, and in `und` for that of the instance; empty for none. */
  stopAnswer: string | null
  helpAnswer: string | null
}

/** A set as it is stored. */
export interface StoredKeywordSet extends KeywordSet {
  /** Increases with each change. */
  updatedAt: number
}

/** The European Union has 24 official languages; one more is `und`. */
export const maxSets = 25
/**
 * As many as Braze accepts for one keyword. Words are looked up by key: the limit keeps forms and audit
 * entries short.
 */
export const maxWordsOfKind = 20
/** The same limit as in the settings of the instance. */
const maxAnswerParts = 3

const fields = ['stop', 'start', 'help', 'off'] as const
type Field = (typeof fields)[number]

/** Returns all faults of a set, given the other sets of its account and the STOP words of the instance. */
export const keywordSetFaults = (
  set: KeywordSet,
  among: { others: readonly KeywordSet[]; stopWords: readonly string[] },
): Fault[] => [
  ...languageFaults(set.language, among.others.length),
  ...wordFaults(set, among),
  ...answerFaults('stopAnswer', set.stopAnswer),
  ...answerFaults('helpAnswer', set.helpAnswer),
]

/** Returns the canonical form of a language (`FR` and `fra` are `fr`); other texts are returned unchanged. */
export function canonicalLanguage(written: string): string {
  const trimmed = written.trim().toLowerCase()
  try {
    return Intl.getCanonicalLocales(trimmed)[0] ?? trimmed
  } catch {
    return trimmed
  }
}

/** Has only languages that CLDR knows. */
const languageNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

function languageFaults(language: string, otherSets: number): Fault[] {
  if (!/^[a-z]{2,3}$/.test(language)) {
    const detail = `Language '${language}' is not a subtag of BCP 47. Use two or three letters, such as fr, or '${anyLanguage}'.`
    return [{ pointer: '/language', code: 'invalid_format', detail }]
  }
  if (language !== anyLanguage && languageNames.of(language) === undefined) {
    const detail = `Language '${language}' is not known. Use its subtag of BCP 47, such as fr.`
    return [{ pointer: '/language', code: 'not_in_enum', detail }]
  }
  if (otherSets < maxSets) return []
  const detail = `An account has at most ${maxSets} keyword sets. Remove one first.`
  return [{ pointer: '/language', code: 'too_many_items', detail }]
}

function answerFaults(field: 'stopAnswer' | 'helpAnswer', text: string | null): Fault[] {
  if (text === null || text === '') return []
  const pointer = `/${field}`
  const fault = findTextFault(text)
  if (fault !== null) return [{ pointer, code: fault.code, detail: fault.detail }]
  const { parts } = measureText(text, 'auto')
  if (parts <= maxAnswerParts) return []
  const detail = `The answer needs ${parts} parts. Shorten it to ${maxAnswerParts}.`
  return [{ pointer, code: 'message_too_long', detail }]
}

interface Judge {
  set: KeywordSet
  /** The language of the other set that contains a word. */
  taken: ReadonlyMap<string, string>
  /** The STOP words of all sets. */
  stops: ReadonlyMap<string, OwnWord>
  /** The beginnings that count of START and HELP words of the other sets, with these words. */
  beginnings: ReadonlyMap<string, string>
  stopWords: readonly string[]
}

function wordFaults(
  set: KeywordSet,
  { others, stopWords }: { others: readonly KeywordSet[]; stopWords: readonly string[] },
): Fault[] {
  const taken = others.flatMap((other) =>
    fields.flatMap((field) => other[field].map((word) => [bareWord(word), other.language] as const)),
  )
  const stops = [set, ...others].flatMap(({ language, stop }) =>
    stop.map((word) => [bareWord(word), { keyword: 'stop', language }] as const),
  )
  const beginnings = others.flatMap((other) =>
    [...other.start, ...other.help].flatMap((word) =>
      possibleKeywords(word).map((bare) => [bare, word] as const),
    ),
  )
  const judge = {
    set,
    taken: new Map(taken),
    stops: new Map<string, OwnWord>(stops),
    beginnings: new Map(beginnings),
    stopWords,
  }
  return fields.flatMap((field): Fault[] => {
    const pointer = `/${field}`
    // Checked first: a list that is too long is not examined.
    if (set[field].length > maxWordsOfKind)
      return [
        {
          pointer,
          code: 'too_many_items',
          detail: `A set has at most ${maxWordsOfKind} words for ${nameOf[field]}.`,
        },
      ]
    return set[field].flatMap((word) => {
      const misspelled = spellingFault(word)
      if (misspelled !== undefined) return [{ pointer, ...misspelled }]
      const detail = faultOf(judge, field, word)
      return detail === undefined ? [] : [{ pointer, code: 'invalid_format', detail }]
    })
  })
}

/** Returns what is wrong with a word in any list. */
function spellingFault(word: string): Pick<Fault, 'code' | 'detail'> | undefined {
  if (!word.isWellFormed())
    return { code: 'invalid_unicode', detail: 'A keyword is not well-formed Unicode.' }
  if (/\p{Cc}/u.test(word))
    return { code: 'control_character', detail: 'A keyword cannot have control characters.' }
  const bare = bareWord(word)
  if (bare === '') return { code: 'blank', detail: `Keyword '${word}' needs a letter or a digit.` }
  if (word.length <= maxKeywordLetters && bare.length <= maxKeywordLetters) return undefined
  const detail = `Keyword '${word.slice(0, maxKeywordLetters)}…' has more than ${maxKeywordLetters} characters.`
  return { code: 'too_long', detail }
}

/** Returns why a word is not allowed in a list of a set; undefined when it is. */
function faultOf(judge: Judge, field: Field, word: string): string | undefined {
  const { set, taken, stops, stopWords } = judge
  const bare = bareWord(word)
  if (field === 'stop' && countWords(word) > maxWords)
    return `'${word}' has more than ${maxWords} words. Before another sentence it would not count as STOP.`
  const elsewhere = fields.find(
    (other) => other !== field && set[other].some((each) => bareWord(each) === bare),
  )
  if (elsewhere !== undefined)
    return `'${word}' is listed twice: for ${nameOf[field]} and for ${nameOf[elsewhere]}.`
  const language = taken.get(bare)
  if (language !== undefined) return `'${word}' is in the keyword set '${language}' already.`
  if (field === 'off') return offFault(set.language, word, stopWords)
  if (field !== 'stop' && matchKeyword(word, { more: stopWords, off: [] }, stops)?.keyword === 'stop')
    return `'${word}' already means STOP.`
  const longer = field === 'stop' && !offWords.includes(bare) ? judge.beginnings.get(bare) : undefined
  if (longer !== undefined) return `'${word}' would make '${longer}' of another keyword set a STOP.`
  const builtIn = builtInKeyword(bare)
  return builtIn === null || builtIn === field
    ? undefined
    : `'${word}' is a built-in word for ${nameOf[builtIn]}.`
}

function offFault(language: string, word: string, stopWords: readonly string[]): string | undefined {
  if (language !== anyLanguage) return `Only the keyword set '${anyLanguage}' can turn off built-in words.`
  const bare = bareWord(word)
  if (!offWords.includes(bare)) return `'${bare}' cannot be turned off. Only ${offWords.join(', ')} can.`
  return isListed(bare, stopWords)
    ? `'${word}' counts as STOP on this instance (ONESIXTY_STOP_WORDS).`
    : undefined
}

const nameOf: Readonly<Record<Field, string>> = {
  stop: 'STOP',
  start: 'START',
  help: 'HELP',
  off: 'words turned off',
}
