import { readCountries } from '../../accounts/core/account-guard.ts'
import { dayMs, hourMs } from '../../runtime/clock.ts'
import type { Ids } from '../../runtime/ids.ts'
import { isTestNumber } from '../../numbers/test-number.ts'
import { everySpelling } from '../../numbers/number-changes.ts'
import { parsePhoneNumber } from '../../numbers/phone-number.ts'
import { measureText } from '../../sms/sms-text.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { KeywordTerms } from './inbound-message.ts'
import { routeKeyOf } from '../core/message-store.ts'
import { sendMessages } from '../send/send-messages.ts'

/** Where an answer waits, for whoever wakes the dispatcher. */
export interface AnsweredRoute {
  account_id: string
  mode: Mode
  route_key: string
  messageId: string
}

type AnswerTerms = Pick<KeywordTerms, 'queueLimit' | 'sharedStopDays'>

interface Answer {
  accountId: string
  mode: Mode
  recipient: string
  text: string
  /** The number that was written to, where a device can send under it. */
  from: string | null
  nowMs: number
}

/** As of other messages: it outlasts the quiet hours of its recipient. */
const validityMs = dayMs
/** Stands as the sender of what the service sends by itself. */
const sentBy = 'system'

/**
 * Sends an answer to a keyword, to the spelling of the number that was written to last, for an account, in the transaction of what it answers: it costs what any message costs. Null when the account
 * cannot send it, because its balance does not cover it, too much waits, or it is suspended; or when it would not have written there by itself:
 * anybody can send a keyword from any number, and must not spend the balance of whom he chooses.
 */
export async function answerKeyword(
  tx: Tx,
  { ids, terms }: { ids: Ids; terms: AnswerTerms },
  answer: Answer,
): Promise<AnsweredRoute | null> {
  const { accountId, mode, text, from, nowMs } = answer
  const limits = await readLimits(tx, accountId)
  const recipient = await lastWritten(tx, terms, answer)
  if (recipient === null || !mayBeWrittenTo(recipient, limits.countries)) return null
  const { encoding, units, parts } = measureText(text, 'auto')
  const number = parsePhoneNumber(recipient)
  const messageId = ids('msg')
  const [result] = await sendMessages(tx, [
    {
      sendId: ids('snd'),
      messageIds: [messageId],
      accountId,
      mode,
      keyId: sentBy,
      dailyCap: null,
      queueLimit: limits.queueLimit ?? terms.queueLimit,
      createdAt: nowMs,
      idempotency: null,
      recipients: [{ to: recipient, country: 'country' in number ? number.country : null }],
      from,
      category: 'transactional',
      text,
      encoding,
      units,
      parts,
      smartEncodingApplied: false,
      onUnknown: 'stop',
      clientReference: null,
      metadata: '{}',
      expiresAt: nowMs + validityMs,
      warnings: [],
    },
  ])
  if (result?.kind !== 'accepted') return null
  return { account_id: accountId, mode, route_key: routeKeyOf(mode, from), messageId }
}

async function readLimits(
  tx: Tx,
  accountId: string,
): Promise<{ queueLimit: number | null; countries: string[] | null }> {
  const row = await tx
    .selectFrom('accounts')
    .select(['queue_limit', 'countries'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return { queueLimit: row.queue_limit, countries: readCountries(row.countries) }
}

/** As at accept: no premium numbers, and of other countries than the account's none but test numbers. */
function mayBeWrittenTo(recipient: string, countries: readonly string[] | null): boolean {
  if (isTestNumber(recipient)) return true
  const number = parsePhoneNumber(recipient)
  if (!('e164' in number) || number.kind === 'premium') return false
  return countries === null || countries.includes(number.country ?? '')
}

/** Behind so many answers that nothing else was sent between a number is answered no more. */
const maxAnswers = 100

/** The number as the account has written to it of late, with anything but answers to its keywords; null when it has not. */
async function lastWritten(
  tx: Tx,
  { sharedStopDays }: AnswerTerms,
  { accountId, mode, recipient, nowMs }: Answer,
): Promise<string | null> {
  const rows = await tx
    .selectFrom('messages as m')
    .leftJoin('sends as s', (join) =>
      join.onRef('s.account_id', '=', 'm.account_id').onRef('s.id', '=', 'm.send_id'),
    )
    .select(['m.recipient', 'm.created_at', 's.key_id'])
    .where('m.account_id', '=', accountId)
    .where('m.mode', '=', mode)
    .where('m.recipient', 'in', everySpelling(recipient))
    .where('m.direction', '=', 'outbound')
    .orderBy('m.id', 'desc')
    .limit(maxAnswers)
    .execute()
  const sinceMs = nowMs - sharedStopDays * dayMs
  const last = rows.find((row) => row.created_at >= sinceMs && row.key_id !== sentBy)
  return last?.recipient ?? null
}

/** So many of the latest messages to a number are looked at. */
const maxLookedAt = 20
const answeredAgainMs = hourMs

/** Whether the number has been sent one of these very texts within the hour. */
export async function hasHadAnswer(
  tx: Tx,
  {
    accountId,
    mode,
    recipient,
    texts,
    nowMs,
  }: Omit<Answer, 'from' | 'text'> & { texts: readonly (string | null)[] },
): Promise<boolean> {
  const rows = await tx
    .selectFrom('messages')
    .select(['text', 'created_at'])
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .where('recipient', 'in', everySpelling(recipient))
    .orderBy('id', 'desc')
    .limit(maxLookedAt)
    .execute()
  return rows.some(
    (row) => row.text !== null && texts.includes(row.text) && row.created_at > nowMs - answeredAgainMs,
  )
}
