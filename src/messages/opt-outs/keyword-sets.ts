import { type AccountDeps, readAccount } from '../../accounts/core/accounts.ts'
import type { Fault } from '../../runtime/errors.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { normalizeText } from '../../sms/sms-text.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { deleteRows, insertRows } from '../../storage/seam/sets.ts'
import {
  canonicalLanguage,
  type KeywordSet,
  keywordSetFaults,
  type StoredKeywordSet,
} from './check-keyword-set.ts'
import { bareWord, type OwnWord } from './keywords.ts'

/** Lists the keyword sets of an account by their languages. */
export async function listKeywordSets(db: Db | Tx, accountId: string): Promise<StoredKeywordSet[]> {
  const sets = await db
    .selectFrom('account_keyword_sets')
    .select(['language', 'stop_answer', 'help_answer', 'updated_at'])
    .where('account_id', '=', accountId)
    .orderBy('language')
    .execute()
  const words = await db
    .selectFrom('account_keywords')
    .select(['language', 'keyword', 'written'])
    .where('account_id', '=', accountId)
    .orderBy('word')
    .execute()
  return sets.map(({ language, stop_answer, help_answer, updated_at }) => {
    const those = (keyword: OwnWord['keyword']): string[] =>
      words.filter((row) => row.language === language && row.keyword === keyword).map((row) => row.written)
    return {
      language,
      stop: those('stop'),
      start: those('start'),
      help: those('help'),
      off: those('off'),
      stopAnswer: stop_answer,
      helpAnswer: help_answer,
      updatedAt: updated_at,
    }
  })
}

/**
 * Stores a keyword set and replaces the one of its language. Rejects, with all faults at once: unknown
 * languages, words that already mean something else to the account, START and HELP words that mean STOP, long
 * answers, and more sets or words than allowed.
 *
 * Also rejects a set that would replace another one than the caller read: `readAt` is its `updatedAt`, null
 * where there was none. Without `readAt` it replaces any set.
 */
export async function setKeywordSet(
  tx: Tx,
  deps: AccountDeps,
  change: {
    accountId: string
    set: KeywordSet
    readAt?: number | null
    stopWords: readonly string[]
    actor: string
  },
): Promise<KeywordSet> {
  const { accountId, stopWords, actor } = change
  await readAccount(tx, accountId)
  const set = tidy(change.set)
  const sets = await listKeywordSets(tx, accountId)
  const before = sets.find((each) => each.language === set.language)
  const others = sets.filter((each) => each !== before)
  const faults = [
    ...replacedFaults(set.language, change.readAt, before),
    ...keywordSetFaults(set, { others, stopWords }),
  ]
  if (faults.length > 0) throw invalidInput(faults)
  const { language } = set
  await drop(tx, { accountId, language })
  await insertRows(tx, 'account_keyword_sets', [
    {
      account_id: accountId,
      language,
      stop_answer: set.stopAnswer,
      help_answer: set.helpAnswer,
      // Two changes within one millisecond must differ.
      updated_at: Math.max(deps.nowMs, (before?.updatedAt ?? 0) + 1),
    },
  ])
  const rowsOf = (keyword: OwnWord['keyword']) =>
    set[keyword].map((written) => ({
      account_id: accountId,
      word: bareWord(written),
      keyword,
      language,
      written,
    }))
  await insertRows(tx, 'account_keywords', [
    ...rowsOf('stop'),
    ...rowsOf('start'),
    ...rowsOf('help'),
    ...rowsOf('off'),
  ])
  const { stopAnswer, helpAnswer, ...words } = set
  const detail = { ...words, stopAnswer: wordOf(stopAnswer), helpAnswer: wordOf(helpAnswer) }
  await appendAudit(tx, deps, { accountId, actor, action: 'account.keywords_set', detail })
  return set
}

function replacedFaults(
  language: string,
  readAt: number | null | undefined,
  before: StoredKeywordSet | undefined,
): Fault[] {
  if (readAt === undefined || readAt === (before?.updatedAt ?? null)) return []
  const [pointer, detail] =
    readAt === null
      ? ['/language', `The account has a keyword set '${language}' already. Change that one.`]
      : ['/updatedAt', `Keyword set '${language}' was changed or removed meanwhile. Open it again.`]
  return [{ pointer, code: 'not_in_enum', detail }]
}

/** Removes the keyword set of a language. Returns false if the account has none. */
export async function removeKeywordSet(
  tx: Tx,
  deps: AccountDeps,
  asked: { accountId: string; language: string; actor: string },
): Promise<boolean> {
  const { accountId, actor } = asked
  const language = canonicalLanguage(asked.language)
  await readAccount(tx, accountId)
  if (!(await drop(tx, { accountId, language }))) return false
  await appendAudit(tx, deps, { accountId, actor, action: 'account.keywords_removed', detail: { language } })
  return true
}

async function drop(
  tx: Tx,
  { accountId, language }: { accountId: string; language: string },
): Promise<boolean> {
  const name = { account_id: accountId, language }
  await deleteRows(tx, 'account_keywords', ['account_id', 'language'], [name])
  return (await deleteRows(tx, 'account_keyword_sets', ['account_id', 'language'], [name])) > 0
}

/** The audit log contains no texts. */
const wordOf = (answer: string | null): string =>
  answer === null ? 'default' : answer === '' ? 'off' : 'own'

function tidy(set: KeywordSet): KeywordSet {
  const once = (words: readonly string[]): string[] => [
    ...new Map(words.map((word) => [bareWord(word), word.trim()] as const)).values(),
  ]
  const answerOf = (text: string | null): string | null => (text === null ? null : normalizeText(text))
  return {
    language: canonicalLanguage(set.language),
    stop: once(set.stop),
    start: once(set.start),
    help: once(set.help),
    off: once(set.off).map((word) => bareWord(word) || word),
    stopAnswer: answerOf(set.stopAnswer),
    helpAnswer: answerOf(set.helpAnswer),
  }
}
