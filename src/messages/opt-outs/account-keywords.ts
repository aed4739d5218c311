import type { Db, Tx } from '../../storage/seam/dialect.ts'
import {
  anyLanguage,
  type Keyword,
  type KeywordMatch,
  matchKeyword,
  type OwnWord,
  type OwnWords,
  possibleKeywords,
  type StopWords,
} from './keywords.ts'

/**
 * The meaning of a text's words for accounts with keywords of their own, by account. Other accounts use the
 * built-in meaning.
 */
export type WordsOfAccounts = ReadonlyMap<string, OwnWords>

export const noOwnWords: WordsOfAccounts = new Map()

/**
 * Looks up the words of a text in the keywords of an account, or of every account with null. Takes one
 * statement by key, and none for a sentence, which most texts are.
 */
export async function findOwnWords(
  db: Db | Tx,
  { text, accountId }: { text: string; accountId: string | null },
): Promise<WordsOfAccounts> {
  const words = possibleKeywords(text)
  if (words.length === 0) return noOwnWords
  let query = db
    .selectFrom('account_keywords')
    .select(['account_id', 'word', 'keyword', 'language'])
    .where('word', 'in', words)
  if (accountId !== null) query = query.where('account_id', '=', accountId)
  const found = new Map<string, Map<string, OwnWord>>()
  for (const { account_id, word, keyword, language } of await query.execute()) {
    const own = found.get(account_id) ?? new Map<string, OwnWord>()
    found.set(account_id, own.set(word, { keyword, language }))
  }
  return found
}

/** What a text requests, for each account separately. */
export interface KeywordReadings {
  /** Returns the keyword for an account; with null, for one that has no keywords of its own. */
  of(accountId: string | null): KeywordMatch | null
  /** True if the text is a keyword for any account. */
  isKeyword: boolean
  /** True if the text requests this from any account. */
  isAny(keyword: Keyword): boolean
}

/**
 * Reads a text for every account with the words of those that have their own. An account is evaluated only
 * when it is asked for, because there can be thousands.
 */
export function parseKeywords(
  text: string,
  stopWords: StopWords,
  ownWords: WordsOfAccounts,
): KeywordReadings {
  const builtIn = matchKeyword(text, stopWords)
  const isAny = (keyword: Keyword): boolean =>
    builtIn?.keyword === keyword || [...ownWords.values()].some((words) => hasKeyword(words, keyword))
  return {
    of: (accountId) => {
      const words = accountId === null ? undefined : ownWords.get(accountId)
      return words === undefined ? builtIn : matchKeyword(text, stopWords, words)
    },
    isKeyword: builtIn !== null || isAny('stop') || isAny('start') || isAny('help'),
    isAny,
  }
}

const hasKeyword = (words: OwnWords, keyword: Keyword): boolean =>
  [...words.values()].some((word) => word.keyword === keyword)

/** The answer of an account to a keyword. */
export interface KeywordAnswers {
  /** In the language of the keyword, else that of `und`, else that of the instance; null for none. */
  text: string | null
  /** All texts that it could have been. */
  all: (string | null)[]
}

/** Reads the answer of an account; `otherwise` where it has not defined one. */
export async function readAnswers(
  tx: Tx,
  { accountId, match, otherwise }: { accountId: string; match: KeywordMatch; otherwise: string | null },
): Promise<KeywordAnswers> {
  const column = match.keyword === 'help' ? 'help_answer' : 'stop_answer'
  const rows = await tx
    .selectFrom('account_keyword_sets')
    .select(['language', `${column} as answer`])
    .where('account_id', '=', accountId)
    .execute()
  const answerOf = (language: string): string | null | undefined =>
    rows.find((row) => row.language === language)?.answer
  const answer = answerOf(match.language) ?? answerOf(anyLanguage) ?? otherwise
  return { text: answer === '' ? null : answer, all: [...rows.map((row) => row.answer), otherwise] }
}
