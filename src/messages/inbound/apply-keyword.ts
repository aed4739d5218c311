import { dayMs } from '../../runtime/clock.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Change } from '../core/change-number.ts'
import { everySpelling, presentSpelling } from '../../numbers/number-changes.ts'
import { everyForm } from '../../numbers/number-hash.ts'
import { parsePhoneNumber } from '../../numbers/phone-number.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { isTestNumber } from '../../numbers/test-number.ts'
import {
  type KeywordReadings,
  readAnswers,
  parseKeywords,
  type WordsOfAccounts,
} from '../opt-outs/account-keywords.ts'
import { answerKeyword, type AnsweredRoute, hasHadAnswer } from './answer-keyword.ts'
import type { InboundMessage, KeywordTerms } from './inbound-message.ts'
import type { Keyword, KeywordMatch } from '../opt-outs/keywords.ts'
import { findAccountsThatSentTo } from './accounts-that-sent.ts'
import type { Consent, ConsentChanges } from '../opt-outs/opt-out-cache.ts'
import { endOptOut, noteConfirmation, storeOptOuts } from '../opt-outs/store-opt-outs.ts'
import { isInForce, readOptOuts } from '../core/read-opt-outs.ts'

/** The result of a keyword; to be made known after the commit. */
export interface KeywordResult extends ConsentChanges {
  /** Its meaning for the account that the message is for, else for another account. */
  keyword: Keyword | null
  /** Routes with queued answers. */
  routes: AnsweredRoute[]
}

/** A number that opts out repeatedly gets one confirmation a day. */
const confirmAgainMs = dayMs
/** The simulated handset that sends STOP: its opt-out expires, so that it can be used again. */
const simulatedStop = { number: '+15005550011', mode: 'test', expiresInMs: 60_000 } as const

export const noKeyword: KeywordResult = { keyword: null, optedOut: [], optedIn: [], routes: [] }

/** A received message with its account; null if it matches no account. */
type Received = Pick<
  InboundMessage,
  | 'deviceId'
  | 'mode'
  | 'from'
  | 'text'
  | 'answerFrom'
  | 'isShared'
  | 'isOwnDevice'
  | 'inReplyTo'
  | 'accountsThatSent'
> & {
  accountId: string | null
  ownWords: WordsOfAccounts
  /** It was probably applied before: only a STOP is applied again. */
  isRepeat: boolean
  nowMs: number
}

interface KeywordDeps {
  ids: Ids
  unit: Change
  terms: KeywordTerms
}

/**
 * Applies a keyword in a received message, if it comes from a number that messages can be sent to. Runs in
 * the transaction that stores the message, so that both happen or neither. On a shared device each account's
 * own keywords decide for that account: one text can be a STOP for one account, and an answer to a question
 * of another.
 */
export async function applyKeyword(tx: Tx, deps: KeywordDeps, received: Received): Promise<KeywordResult> {
  const readings = parseKeywords(received.text, deps.terms.stopWords, received.ownWords)
  const number = received.from
  if (!readings.isKeyword || !isRecipient(number)) return noKeyword
  const own = readings.of(received.accountId)
  const { optedOut, routes } = readings.isAny('stop')
    ? await stop(tx, deps, received, { number, readings })
    : noKeyword
  const { isRepeat } = received
  const optedIn =
    readings.isAny('start') && !isRepeat ? await start(tx, deps, received, { number, readings }) : []
  const answered =
    own?.keyword === 'help' && !isRepeat
      ? await help(tx, deps, received, { recipient: number, match: own })
      : []
  const ofOthers = optedOut.length > 0 ? 'stop' : optedIn.length > 0 ? 'start' : null
  return { keyword: own?.keyword ?? ofOthers, optedOut, optedIn, routes: [...routes, ...answered] }
}

/** Names, short codes and numbers of unknown countries cannot be recipients. */
const isRecipient = (from: string): boolean => 'e164' in parsePhoneNumber(from) || isTestNumber(from)

/** The way back: from the number that received the keyword, over own devices if one of them received it. */
const wayOf = ({ answerFrom = null, isOwnDevice = false }: Received) => ({ from: answerFrom, isOwnDevice })

async function stop(
  tx: Tx,
  { ids, unit, terms }: KeywordDeps,
  received: Received,
  { number, readings }: { number: string; readings: KeywordReadings },
): Promise<Pick<KeywordResult, 'optedOut' | 'routes'>> {
  const { deviceId, mode, accountId, nowMs } = received
  const recipient = presentSpelling(number)
  const forgetAt =
    recipient === simulatedStop.number && mode === simulatedStop.mode
      ? nowMs + simulatedStop.expiresInMs
      : null
  const optedOut: KeywordResult['optedOut'] = []
  const routes: AnsweredRoute[] = []
  for (const each of await accountsToStop(tx, terms, received, recipient)) {
    const match = readings.of(each)
    if (match?.keyword !== 'stop') continue
    const name = { accountId: each, mode, recipient }
    const before = await readOptOuts(tx, name, everySpelling(recipient))
    const asked = { ...name, recipients: [recipient], origin: 'message', deviceId, forgetAt } as const
    if ((await storeOptOuts(tx, { ids, unit }, asked)).added.length === 0) continue
    const wasConfirmed = before.some(({ confirmed_at: atMs }) => (atMs ?? 0) > nowMs - confirmAgainMs)
    const mayAnswer =
      each === accountId && !wasConfirmed && (terms.answersShared || received.isShared !== true)
    const answer = mayAnswer
      ? await readAnswers(tx, { accountId: each, match, otherwise: terms.confirmation })
      : null
    const text = answer?.text ?? null
    const route =
      text === null
        ? null
        : await answerKeyword(tx, { ids, unit, terms }, { ...name, ...wayOf(received), text, nowMs })
    if (route !== null) {
      await noteConfirmation(tx, name, { messageId: route.messageId, nowMs })
      routes.push(route)
    }
    optedOut.push({ ...name, confirmationId: route?.messageId ?? null })
  }
  return { optedOut, routes }
}

/**
 * Returns the accounts whose opt-out is requested: the one that the message is for; on a shared device every
 * account that has recently sent to the number, unless the message names the one that it answers. The
 * receiver has already found them: a STOP is about what was sent before it arrived, and a search of all
 * accounts would block every writer.
 */
async function accountsToStop(
  tx: Tx,
  { sharedStopDays }: KeywordTerms,
  { isShared, inReplyTo, accountsThatSent, deviceId, mode, accountId, nowMs }: Received,
  number: string,
): Promise<string[]> {
  const own = accountId === null ? [] : [accountId]
  if (isShared !== true || inReplyTo !== null) return own
  const sinceMs = nowMs - sharedStopDays * dayMs
  const senders = accountsThatSent ?? (await findAccountsThatSentTo(tx, { deviceId, mode, number, sinceMs }))
  return [...new Set([...own, ...senders])]
}

/**
 * Ends opt-outs of the number: for the account that the message is for and, with a built-in keyword, for
 * every other account that received the STOP through the same device. Another account's own keyword may be
 * the answer to a question of this one.
 */
async function start(
  tx: Tx,
  { ids, terms }: KeywordDeps,
  received: Received,
  { number, readings }: { number: string; readings: KeywordReadings },
): Promise<Consent[]> {
  const { deviceId, mode, accountId, nowMs } = received
  const recipients = everyForm(terms.numbers, number)
  const rows = await tx
    .selectFrom('opt_outs')
    .select('account_id')
    .distinct()
    .where('recipient', 'in', recipients)
    .where('device_id', '=', deviceId)
    .where('mode', '=', mode)
    .execute()
  const accounts = new Set([...(accountId === null ? [] : [accountId]), ...rows.map((row) => row.account_id)])
  const optedIn: Consent[] = []
  for (const each of [...accounts].toSorted()) {
    const isBuiltIn = readings.of(null)?.keyword === 'start'
    if (readings.of(each)?.keyword !== 'start' || (each !== accountId && !isBuiltIn)) continue
    const asked = { accountId: each, mode, recipient: number, spellings: recipients, origin: 'message', nowMs } as const // prettier-ignore
    if (await endOptOut(tx, ids, asked))
      optedIn.push({ accountId: each, mode, recipient: presentSpelling(number) })
  }
  return optedIn
}

/** Answers HELP, but not to numbers that have opted out, and only once within an hour in any language. */
async function help(
  tx: Tx,
  { ids, unit, terms }: KeywordDeps,
  received: Received,
  { recipient, match }: { recipient: string; match: KeywordMatch },
): Promise<AnsweredRoute[]> {
  const { accountId, mode, nowMs } = received
  if (accountId === null || (received.isShared === true && !terms.answersShared)) return []
  const { text, all } = await readAnswers(tx, { accountId, match, otherwise: terms.help })
  if (text === null) return []
  const name = { accountId, mode, recipient }
  const optOuts = await readOptOuts(tx, name, everyForm(terms.numbers, recipient))
  if (
    optOuts.some((row) => isInForce(row, nowMs)) ||
    (await hasHadAnswer(tx, { ...name, texts: all, nowMs }))
  )
    return []
  const route = await answerKeyword(tx, { ids, unit, terms }, { ...name, ...wayOf(received), text, nowMs })
  return route === null ? [] : [route]
}
