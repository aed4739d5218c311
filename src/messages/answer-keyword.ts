import { dayMs } from '../clock.ts'
import type { Ids } from '../ids.ts'
import { parsePhoneNumber } from '../phone-number.ts'
import { measureText } from '../sms-text.ts'
import type { Tx } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import { routeKeyOf } from './message-store.ts'
import { sendMessages } from './send-messages.ts'

/** Where an answer waits, for whoever wakes the dispatcher. */
export interface AnsweredRoute {
  account_id: string
  mode: Mode
  route_key: string
  messageId: string
}

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
 * Sends an answer to a keyword for an account, in the transaction of what it answers: it costs what any message costs. Null when the account
 * cannot send it: its balance does not cover it, too much waits, or it is suspended.
 */
export async function answerKeyword(tx: Tx, ids: Ids, answer: Answer): Promise<AnsweredRoute | null> {
  const { accountId, mode, recipient, text, from, nowMs } = answer
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
      queueLimit: 0,
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

/** So many of the latest messages to a number are looked at. */
const mostLookedAt = 20
const answeredAgainMs = 3_600_000

/** Whether the number has been sent this very text within the hour. */
export async function hasHadAnswer(
  tx: Tx,
  { accountId, mode, recipient, text, nowMs }: Omit<Answer, 'from'>,
): Promise<boolean> {
  const rows = await tx
    .selectFrom('messages')
    .select(['text', 'created_at'])
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .where('recipient', '=', recipient)
    .orderBy('id', 'desc')
    .limit(mostLookedAt)
    .execute()
  return rows.some((row) => row.text === text && row.created_at > nowMs - answeredAgainMs)
}
