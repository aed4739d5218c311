import { dayMs } from '../clock.ts'
import type { Ids } from '../ids.ts'
import { everySpelling, presentSpelling } from '../number-changes.ts'
import { everyForm } from '../number-hash.ts'
import { parsePhoneNumber } from '../phone-number.ts'
import type { Tx } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import { isTestNumber } from '../test-number.ts'
import { answerKeyword, type AnsweredRoute, hasHadAnswer } from './answer-keyword.ts'
import type { InboundMessage, KeywordTerms } from './inbound-message.ts'
import { type Keyword, readKeyword } from './keywords.ts'
import { findSenders } from './last-sender.ts'
import { endOptOut, holds, noteConfirmation, readOptOuts, storeOptOuts } from './store-opt-outs.ts'

/** An account that a number has taken back its consent from, or given it to. */
export interface Consent {
  accountId: string
  mode: Mode
  recipient: string
}

/** What came of a keyword; to be made known after the commit. */
export interface Followed {
  keyword: Keyword | null
  optedOut: (Consent & { confirmationId: string | null })[]
  optedIn: Consent[]
  /** Where an answer waits. */
  routes: AnsweredRoute[]
}

/** Who goes to and fro is told once a day. */
const confirmedAgainMs = dayMs
/** The handset of the simulator that says STOP: it is to be used again. */
const forgetful = { number: '+15005550011', mode: 'test', forMs: 60_000 } as const

export const nothingFollowed: Followed = { keyword: null, optedOut: [], optedIn: [], routes: [] }

/** A received message, with the account that it is for; null when it is nobody's. */
type Received = Pick<
  InboundMessage,
  'deviceId' | 'mode' | 'from' | 'text' | 'answerFrom' | 'isShared' | 'inReplyTo' | 'sentBefore'
> & {
  accountId: string | null
  nowMs: number
}

/**
 * Does what a received message asks for, if it is a keyword and comes from a number that can be written to: in the transaction that stores the
 * message, so that nothing lies between.
 */
export async function followKeyword(
  tx: Tx,
  deps: { ids: Ids; terms: KeywordTerms },
  received: Received,
): Promise<Followed> {
  const keyword = readKeyword(received.text, deps.terms.stopWords)
  const number = received.from
  if (keyword === null || !isRecipient(number)) return nothingFollowed
  if (keyword === 'stop') return stop(tx, deps, received, number)
  if (keyword === 'start') return start(tx, deps, received, number)
  return help(tx, deps, received, number)
}

/** Names, short numbers, and numbers whose country is not known can be written to by nobody. */
const isRecipient = (from: string): boolean => 'e164' in parsePhoneNumber(from) || isTestNumber(from)

async function stop(
  tx: Tx,
  { ids, terms }: { ids: Ids; terms: KeywordTerms },
  received: Received,
  number: string,
): Promise<Followed> {
  const { deviceId, mode, accountId, nowMs } = received
  const recipient = presentSpelling(number)
  const forgetAt = recipient === forgetful.number && mode === forgetful.mode ? nowMs + forgetful.forMs : null
  const optedOut: Followed['optedOut'] = []
  const routes: AnsweredRoute[] = []
  for (const each of await whoseStop(tx, terms, received, recipient)) {
    const name = { accountId: each, mode, recipient }
    const before = await readOptOuts(tx, name, everySpelling(recipient))
    const asked = { ...name, recipients: [recipient], origin: 'message', deviceId, forgetAt, nowMs } as const
    if ((await storeOptOuts(tx, ids, asked)).added.length === 0) continue
    const wasTold = before.some(({ confirmed_at: atMs }) => (atMs ?? 0) > nowMs - confirmedAgainMs)
    const mayAnswer = each === accountId && !wasTold && (terms.answersShared || received.isShared !== true)
    const route =
      mayAnswer && terms.confirmation !== null
        ? await answerKeyword(
            tx,
            { ids, terms },
            {
              ...name,
              text: terms.confirmation,
              from: received.answerFrom ?? null,
              nowMs,
            },
          )
        : null
    if (route !== null) {
      await noteConfirmation(tx, name, { messageId: route.messageId, nowMs })
      routes.push(route)
    }
    optedOut.push({ ...name, confirmationId: route?.messageId ?? null })
  }
  return { keyword: 'stop', optedOut, optedIn: [], routes }
}

/**
 * The account that the message is for; on a shared device every account that has sent there of late, unless it names the message that it answers. Whoever
 * took it in has looked for them: a STOP is about what had been sent when it came, and looking through all accounts would hold up every writer.
 */
async function whoseStop(
  tx: Tx,
  { sharedStopDays }: KeywordTerms,
  { isShared, inReplyTo, sentBefore, deviceId, mode, accountId, nowMs }: Received,
  number: string,
): Promise<string[]> {
  const own = accountId === null ? [] : [accountId]
  if (isShared !== true || inReplyTo !== null) return own
  const sinceMs = nowMs - sharedStopDays * dayMs
  const senders = sentBefore ?? (await findSenders(tx, { deviceId, mode, number, sinceMs }))
  return [...new Set([...own, ...senders])]
}

/** The number takes back its STOP where it said it: of its account, and of every other that heard it through the same device. */
async function start(
  tx: Tx,
  { ids, terms }: { ids: Ids; terms: KeywordTerms },
  received: Received,
  number: string,
): Promise<Followed> {
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
    const asked = { accountId: each, mode, recipient: number, spellings: recipients, origin: 'message', nowMs } as const // prettier-ignore
    if (await endOptOut(tx, ids, asked))
      optedIn.push({ accountId: each, mode, recipient: presentSpelling(number) })
  }
  return { ...nothingFollowed, keyword: 'start', optedIn }
}

/** Who has opted out is told nothing, and nobody twice within an hour. */
async function help(
  tx: Tx,
  { ids, terms }: { ids: Ids; terms: KeywordTerms },
  received: Received,
  recipient: string,
): Promise<Followed> {
  const none: Followed = { ...nothingFollowed, keyword: 'help' }
  const { accountId, mode, nowMs } = received
  if (terms.help === null || accountId === null || (received.isShared === true && !terms.answersShared))
    return none
  const name = { accountId, mode, recipient }
  const optOuts = await readOptOuts(tx, name, everyForm(terms.numbers, recipient))
  if (
    optOuts.some((row) => holds(row, nowMs)) ||
    (await hasHadAnswer(tx, { ...name, text: terms.help, nowMs }))
  )
    return none
  const route = await answerKeyword(
    tx,
    { ids, terms },
    {
      ...name,
      text: terms.help,
      from: received.answerFrom ?? null,
      nowMs,
    },
  )
  return { ...none, routes: route === null ? [] : [route] }
}
