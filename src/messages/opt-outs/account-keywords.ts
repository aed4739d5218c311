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

/** What the words of one text mean to accounts that have keywords of their own, by account; to all others they mean what is built in. */
export type WordsOfAccounts = ReadonlyMap<string, OwnWords>

export const noOwnWords: WordsOfAccounts = new Map()

/**
 * Looks the words of a text up in the keywords of an account, or of every account with null: one statement by a key, and none for what is a sentence,
 * as nearly every text is.
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

/** What a text asks for, of each account by itself. */
export interface KeywordReadings {
  /** Of an account; with null of one that has no keywords of its own. */
  of(accountId: string | null): KeywordMatch | null
  /** Whether it may ask any account for anything. */
  isKeyword: boolean
  /** Whether it may ask any account for this: one of its words means it to somebody. */
  isAny(keyword: Keyword): boolean
}

/** Reads a text for every account, with the words of those that have some: an account is read when it is asked for, as there may be thousands. */
export function readKeywords(text: string, stopWords: StopWords, ownWords: WordsOfAccounts): KeywordReadings {
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

/** What an account answers a keyword with. */
export interface KeywordAnswers {
  /** In the language of the keyword, else the one of `und`, else the one of the instance; null for nothing. */
  text: string | null
  /** Every text that it could have been. */
  all: (string | null)[]
}

/** Looks up what an account answers, `otherwise` where it has said nothing. */
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
