import { findOperatorAccount } from '../../accounts/core/operator-account.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { deleteRows, insertRows, selectEach } from '../../storage/seam/sets.ts'
import {
  findOwnWords,
  noOwnWords,
  parseKeywords,
  type WordsOfAccounts,
} from '../opt-outs/account-keywords.ts'
import { type Change, stampIds, type TakeChange, takePlaces } from '../core/change-number.ts'
import { recordMessageEvents } from '../core/events.ts'
import { recordChanges } from '../core/message-changes.ts'
import { type KeywordResult, applyKeyword, noKeyword } from './apply-keyword.ts'
import { takeFragment, takeOverdue } from './inbound-fragments.ts'
import type { InboundMessage, InboundFragment, InboundTerms, KeywordTerms } from './inbound-message.ts'
import { countNew } from '../core/traffic.ts'

interface ReceiveDeps {
  ids: Ids
  unit: Change
}

/**
 * Stores received messages, each once by the device's fingerprint; long messages when their last fragment has
 * arrived. A message without an account, as on a shared device, belongs to the account whose attempt it
 * answers, and otherwise to the operator's account; without one it is dropped. Received messages are free.
 * Applies the keyword of a complete message and returns the results. Of a message that was probably stored
 * before, only a STOP is applied.
 */
export async function receiveMessages(
  tx: Tx,
  { ids, unit }: ReceiveDeps,
  inbound: readonly Omit<InboundMessage, 'storedAt'>[],
  terms: InboundTerms,
): Promise<KeywordResult[]> {
  const results: KeywordResult[] = []
  for (const { fragment, ...received } of inbound) {
    const message = { ...received, storedAt: unit.nowMs }
    if (fragment === undefined || !isValidFragment(fragment)) {
      results.push(await store(tx, { ids, unit }, message, terms))
      continue
    }
    if ((await seenBefore(tx, message)) !== 'never') continue
    const { whole, evicted } = await takeFragment(tx, { ...message, fragment }, terms)
    // The remains of a long text can look like a keyword, but are not one.
    for (const each of evicted) await store(tx, { ids, unit }, { ...message, ...each }, {})
    if (whole !== null) results.push(await store(tx, { ids, unit }, { ...message, ...whole }, terms))
  }
  return results
}

/**
 * Stores the messages whose first fragment arrived by `upTo`, incomplete. Returns whether there may be more.
 */
export async function receiveOverdue(
  tx: Tx,
  { ids, take }: { ids: Ids; take: TakeChange },
  at: { upTo: number; nowMs: number } & Pick<InboundTerms, 'maxCharacters' | 'joinMs'>,
  most: number,
): Promise<boolean> {
  const { messages, isMore } = await takeOverdue(tx, at, most)
  for (const message of messages) {
    const unit = await take()
    await store(tx, { ids, unit }, { ...message, storedAt: unit.nowMs }, {})
  }
  return isMore
}

/** True if the numbering of a fragment is valid; otherwise the message is complete. */
const isValidFragment = ({ total, index }: InboundFragment): boolean =>
  total > 1 && index >= 1 && index <= total

async function store(
  tx: Tx,
  { ids, unit }: ReceiveDeps,
  inbound: InboundMessage,
  { keywords }: Pick<InboundTerms, 'keywords'>,
): Promise<KeywordResult> {
  const message = {
    ...inbound,
    ownWords: keywords === undefined ? noOwnWords : await ownWordsOf(tx, inbound),
  }
  const seen = await seenBefore(tx, message)
  const isKnown = seen !== 'never'
  // There may have been a START in between: one repeated STOP too many costs less than a missed one. A
  // certain repeat is older than that START.
  if (isKnown && !((message.fingerprintGuessed || seen === 'otherwise') && isStop(message, keywords)))
    return noKeyword
  const accountId = message.accountId ?? (await accountOfPart(tx, message)) ?? (await findOperatorAccount(tx))
  if (accountId !== null && !isKnown) {
    const [id] = stampIds([ids('msg')], takePlaces(unit, 1)) as [string]
    const row = inboundRow(message, unit, { accountId, id })
    await insertRows(tx, 'messages', [row])
    await countNew(tx, 'received', [{ ...row, messages: 1 }])
    await recordMessageEvents(tx, [{ message: row, previousStatus: null, correction: false }])
    await recordChanges(tx, unit, [row])
  }
  if (keywords === undefined) return noKeyword
  const received = { ...message, accountId, isRepeat: isKnown, nowMs: message.storedAt }
  return applyKeyword(tx, { ids, unit, terms: keywords }, received)
}

/** Looks the words up only if the receiver has not: the text of a joined message is known only now. */
const ownWordsOf = async (tx: Tx, message: InboundMessage): Promise<WordsOfAccounts> => {
  const { ownWords, text, isShared, accountId } = message
  return ownWords ?? findOwnWords(tx, { text, accountId: isShared === true ? null : accountId })
}

/** True if the message is a STOP for any account that it may concern. */
const isStop = (
  { text, ownWords }: InboundMessage & { ownWords: WordsOfAccounts },
  keywords: KeywordTerms | undefined,
): boolean => keywords !== undefined && parseKeywords(text, keywords.stopWords, ownWords).isAny('stop')

/**
 * Returns whether one of its fingerprints was recorded before: its own, or that of another report of the same
 * message with more or fewer details. Records its own.
 */
async function seenBefore(
  tx: Tx,
  { deviceId, fingerprint, formerFingerprint, toldOtherwise, storedAt }: InboundMessage,
): Promise<'never' | 'same' | 'otherwise'> {
  const seen = { device_id: deviceId, fingerprint, received_at: storedAt }
  if ((await insertRows(tx, 'inbound_seen', [seen], 'ignore')) === 0) return 'same'
  if (toldOtherwise !== undefined) {
    if (await takeOtherReport(tx, deviceId, toldOtherwise.looksFor)) return 'otherwise'
    const kept = toldOtherwise.keeps.map((each) => ({ ...seen, fingerprint: each }))
    await insertRows(tx, 'inbound_seen', kept, 'ignore')
  }
  if (formerFingerprint === undefined) return 'never'
  const before = await tx
    .selectFrom('inbound_seen')
    .select('received_at')
    .where('device_id', '=', deviceId)
    .where('fingerprint', '=', formerFingerprint.name)
    .where('received_at', '>', formerFingerprint.afterMs)
    .executeTakeFirst()
  return before === undefined ? 'never' : 'same'
}

/**
 * Maximum reports of one text that are read to find its other report; each of them is sufficient, and the
 * rest is read later.
 */
const maxOtherReports = 100

/**
 * Returns whether one of these names was kept. The report that kept it, the oldest possible one, is then used
 * up. Fingerprints stay: they are not kept names.
 */
async function takeOtherReport(tx: Tx, deviceId: string, looksFor: readonly string[]): Promise<boolean> {
  const isBeginning = (name: string): boolean => name.endsWith('/')
  const whole = looksFor.filter((name) => !isBeginning(name))
  const same = await tx
    .selectFrom('inbound_seen')
    .select('fingerprint')
    .where('device_id', '=', deviceId)
    .where('fingerprint', 'in', whole)
    .execute()
  const taken = same.length > 0 ? same : await findNear(tx, deviceId, looksFor.filter(isBeginning))
  const kept = taken.filter(({ fingerprint }) => fingerprint.includes('/'))
  await deleteRows(
    tx,
    'inbound_seen',
    ['device_id', 'fingerprint'],
    kept.map(({ fingerprint }) => ({ device_id: deviceId, fingerprint })),
  )
  return taken.length > 0
}

const nearReports = {
  sql: `select fingerprint, received_at from inbound_seen
        where device_id = :device and fingerprint > :beginning and fingerprint < :behind order by fingerprint limit ${maxOtherReports}`,
  inputs: ['device', 'beginning', 'behind'],
} as const

/**
 * Returns the oldest report that was kept under a name with such a beginning; reads only the first names of
 * each beginning.
 */
async function findNear(
  tx: Tx,
  deviceId: string,
  beginnings: readonly string[],
): Promise<{ fingerprint: string }[]> {
  // `0` is the next character after `/`.
  const inputs = beginnings.map((name) => [deviceId, name, `${name.slice(0, -1)}0`])
  const near = await selectEach<{ fingerprint: string; received_at: number }>(tx, nearReports, inputs)
  return near.toSorted((a, b) => a.received_at - b.received_at).slice(0, 1)
}

/** Returns the account of the part that a message replies to: its attempt is open, or its receipt is expected. */
async function accountOfPart(
  tx: Tx,
  {
    deviceId,
    inReplyTo,
    inReplyToAttempt,
  }: Pick<InboundMessage, 'deviceId' | 'inReplyTo' | 'inReplyToAttempt'>,
): Promise<string | null> {
  if (inReplyTo === null) return null
  const row = await tx
    .selectFrom('receipts_expected')
    .select('account_id')
    .where('network_id', '=', inReplyTo)
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
  if (row !== undefined || inReplyToAttempt === undefined) return row?.account_id ?? null
  const open = await tx
    .selectFrom('attempts')
    .select('account_id')
    .where('id', '=', inReplyToAttempt)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return open?.account_id ?? null
}

const inboundRow = (
  message: InboundMessage,
  unit: Change,
  { accountId, id }: { accountId: string; id: string },
) => ({
  account_id: accountId,
  mode: message.mode,
  id,
  direction: 'inbound' as const,
  status: 'received' as const,
  recipient: message.to ?? '',
  sender: message.from,
  country: message.country,
  category: 'transactional' as const,
  text: message.text,
  text_redacted: 0 as const,
  encoding: message.encoding,
  units: message.units,
  parts: message.parts,
  parts_sent: 0,
  held: 0,
  charged: 0,
  cost_state: 'none' as const,
  on_unknown: 'stop' as const,
  device_id: message.deviceId,
  attempts: 0,
  possible_duplicate: 0 as const,
  metadata: '{}',
  created_at: unit.createdMs,
  received_at: message.networkAt ?? null,
  finalized_at: unit.createdMs,
  settled_at: unit.atMs,
  updated_at: unit.atMs,
})
