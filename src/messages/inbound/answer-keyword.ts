import { readCountries } from '../../accounts/core/account-guard.ts'
import { canCarry } from '../../devices/core/carrying.ts'
import { readOwnCarriers } from '../../devices/core/own-carriers.ts'
import { dayMs, hourMs } from '../../runtime/clock.ts'
import type { Ids } from '../../runtime/ids.ts'
import { type Change, stampIds } from '../core/change-number.ts'
import { isTestNumber } from '../../numbers/test-number.ts'
import { everySpelling } from '../../numbers/number-changes.ts'
import { parsePhoneNumber } from '../../numbers/phone-number.ts'
import { measureText } from '../../sms/sms-text.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Mode, OwnDevicePrice, Payer } from '../../storage/tables/schema.ts'
import type { KeywordTerms } from './inbound-message.ts'
import { routeKeyOf } from '../core/route-key.ts'
import { sendMessages } from '../send/send-messages.ts'

/** The route of a queued answer; the caller wakes the dispatcher. */
export interface AnsweredRoute {
  account_id: string
  mode: Mode
  route_key: string
  messageId: string
}

type AnswerTerms = Pick<KeywordTerms, 'queueLimit' | 'sharedStopDays' | 'kinds'>

interface Answer {
  accountId: string
  mode: Mode
  recipient: string
  text: string
  /** The number that received the keyword, if a device can send from it. */
  from: string | null
  /** See `InboundMessage.isOwnDevice`. */
  isOwnDevice: boolean
  nowMs: number
}

/** Longer than the quiet hours of any recipient, as for other messages. */
const validityMs = dayMs
/** The sender of messages that the server sends by itself. */
const sentBy = 'system'

/**
 * Sends an answer to a keyword, in the transaction that applies it, to the spelling of the number that the
 * account last sent to. It costs the same as any message; in an account whose own devices are free, nothing if
 * one of them received the keyword and one that is enabled can carry the answer: if none can, it has a fallback.
 * Returns null if the account cannot send it: its balance is too low, its queue is full, or it is suspended.
 *
 * Also returns null if the account would not have sent there itself: anyone can send a keyword from any
 * number, and must not be able to spend the balance of an account of their choice.
 */
export async function answerKeyword(
  tx: Tx,
  { ids, unit, terms }: { ids: Ids; unit: Change; terms: AnswerTerms },
  answer: Answer,
): Promise<AnsweredRoute | null> {
  const { accountId, mode, text, from, isOwnDevice, nowMs } = answer
  const limits = await readLimits(tx, accountId)
  const recipient = await lastSentTo(tx, terms, answer)
  if (recipient === null || !mayBeSentTo(recipient, limits.countries)) return null
  const { encoding, units, parts } = measureText(text, 'auto')
  const number = parsePhoneNumber(recipient)
  const messageIds = [ids('msg')]
  const mayBeFree = isOwnDevice && mode === 'live' && limits.ownDevices === 'free'
  const isFree = mayBeFree && (await canOwnCarry(tx, terms, { accountId, from, parts }))
  const paidBy: Payer = isFree ? 'own_device' : 'balance'
  const request = {
    sendId: ids('snd'),
    messageIds,
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
    paidBy,
    // It costs nothing after all if an own device is enabled meanwhile and sends it.
    ...(mayBeFree && !isFree && { fallback: 'shared' as const }),
  } as const
  const [result] = await sendMessages(tx, [request], Promise.resolve(unit))
  if (result?.kind !== 'accepted') return null
  const [messageId] = stampIds(messageIds, result.place) as [string]
  return { account_id: accountId, mode, route_key: routeKeyOf({ mode, sender: from, paidBy }), messageId }
}

async function canOwnCarry(
  tx: Tx,
  { kinds }: AnswerTerms,
  { accountId, from, parts }: { accountId: string; from: string | null; parts: number },
): Promise<boolean> {
  const route = { sender: from, encodingForced: false }
  return (await readOwnCarriers(tx, [accountId], kinds)).some(
    (device) => device.isEnabled && device.maxParts >= parts && canCarry(device, route),
  )
}

async function readLimits(
  tx: Tx,
  accountId: string,
): Promise<{ queueLimit: number | null; countries: string[] | null; ownDevices: OwnDevicePrice }> {
  const row = await tx
    .selectFrom('accounts')
    .select(['queue_limit', 'countries', 'own_devices'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return {
    queueLimit: row.queue_limit,
    countries: readCountries(row.countries),
    ownDevices: row.own_devices,
  }
}

/** Applies the rules of accept: no premium numbers, and only the account's countries and test numbers. */
function mayBeSentTo(recipient: string, countries: readonly string[] | null): boolean {
  if (isTestNumber(recipient)) return true
  const number = parsePhoneNumber(recipient)
  if (!('e164' in number) || number.kind === 'premium') return false
  return countries === null || countries.includes(number.country ?? '')
}

/** After this many answers without another message in between, a number gets no more answers. */
const maxAnswers = 100

/**
 * Returns the number as the account last sent to it within `sharedStopDays`, not counting answers to
 * keywords; null if it has not.
 */
async function lastSentTo(
  tx: Tx,
  { sharedStopDays }: AnswerTerms,
  { accountId, mode, recipient, nowMs }: Answer,
): Promise<string | null> {
  const rows = await tx
    .selectFrom('messages as m')
    .leftJoin('sends as s', (join) =>
      join.onRef('s.account_id', '=', 'm.account_id').onRef('s.id', '=', 'm.send_id'),
    )
    .select(['m.recipient', 'm.created_at'])
    .select(({ fn }) => fn.coalesce('m.key_id', 's.key_id').as('key_id'))
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

/** Number of the latest messages to a number that are read. */
const maxRowsRead = 20
const repeatAfterMs = hourMs

/** Returns whether one of these texts was sent to the number within the last hour. */
export async function hasHadAnswer(
  tx: Tx,
  {
    accountId,
    mode,
    recipient,
    texts,
    nowMs,
  }: Omit<Answer, 'from' | 'isOwnDevice' | 'text'> & { texts: readonly (string | null)[] },
): Promise<boolean> {
  const rows = await tx
    .selectFrom('messages')
    .select(['text', 'created_at'])
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .where('recipient', 'in', everySpelling(recipient))
    .orderBy('id', 'desc')
    .limit(maxRowsRead)
    .execute()
  return rows.some(
    (row) => row.text !== null && texts.includes(row.text) && row.created_at > nowMs - repeatAfterMs,
  )
}
