import { findOperatorAccount } from '../../accounts/core/operator-account.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { deleteRows, insertRows, selectEach } from '../../storage/seam/sets.ts'
import { findOwnWords, noOwnWords, readKeywords, type WordsOfAccounts } from '../opt-outs/account-keywords.ts'
import { recordMessageEvents } from '../core/events.ts'
import { type KeywordResult, applyKeyword, noKeyword } from './apply-keyword.ts'
import { takeFragment, takeOverdue } from './inbound-fragments.ts'
import type { InboundMessage, InboundPart, InboundTerms, KeywordTerms } from './inbound-message.ts'
import { countNew } from '../core/traffic.ts'

/**
 * Stores received messages, each once by the device's fingerprint; pieces of long ones when the last of them is there. What comes without an
 * account, as on a shared device, is of the account whose attempt it answers, and else of the operator's; where there is none it is dropped.
 * Received messages cost nothing. Does what a whole message asks for with a keyword, and gives what came of that; of what seems to have been stored
 * before, and may be new, only a STOP is followed.
 */
export async function receiveMessages(
  tx: Tx,
  ids: Ids,
  inbound: readonly InboundMessage[],
  terms: InboundTerms,
): Promise<KeywordResult[]> {
  const followed: KeywordResult[] = []
  for (const { part, ...message } of inbound) {
    if (part === undefined || !isSound(part)) {
      followed.push(await store(tx, ids, message, terms))
      continue
    }
    if ((await seenBefore(tx, message)) !== 'never') continue
    const { whole, madeWay } = await takeFragment(tx, { ...message, part }, terms)
    // What is left of a long text may look like a keyword, and is none.
    for (const each of madeWay) await store(tx, ids, { ...message, ...each }, {})
    if (whole !== null) followed.push(await store(tx, ids, { ...message, ...whole }, terms))
  }
  return followed
}

/** Stores what came of long messages whose first piece came by `upTo`; says whether there may be more of them. */
export async function receiveOverdue(
  tx: Tx,
  ids: Ids,
  at: { upTo: number; nowMs: number } & Pick<InboundTerms, 'maxCharacters' | 'joinMs'>,
  most: number,
): Promise<boolean> {
  const { messages, isMore } = await takeOverdue(tx, at, most)
  for (const message of messages) await store(tx, ids, message, {})
  return isMore
}

/** A number that makes no sense says nothing: the message is whole. */
const isSound = ({ total, index }: InboundPart): boolean => total > 1 && index >= 1 && index <= total

async function store(
  tx: Tx,
  ids: Ids,
  heard: InboundMessage,
  { keywords }: Pick<InboundTerms, 'keywords'>,
): Promise<KeywordResult> {
  const message = { ...heard, ownWords: keywords === undefined ? noOwnWords : await ownWordsOf(tx, heard) }
  const seen = await seenBefore(tx, message)
  const isKnown = seen !== 'never'
  // Somebody may have said START in between: a repeat too many costs less than a STOP that is not followed. A repeat that is certain is older than it.
  if (isKnown && !((message.fingerprintGuessed || seen === 'otherwise') && isStop(message, keywords)))
    return noKeyword
  const accountId =
    message.accountId ?? (await accountOfAttempt(tx, message.inReplyTo)) ?? (await findOperatorAccount(tx))
  if (accountId !== null && !isKnown) {
    const row = inboundRow(message, accountId, ids('msg'))
    await insertRows(tx, 'messages', [row])
    await countNew(tx, 'received', [{ ...row, messages: 1 }])
    await recordMessageEvents(tx, [{ message: row, previousStatus: null, correction: false }])
  }
  if (keywords === undefined) return noKeyword
  const received = { ...message, accountId, isRepeat: isKnown, nowMs: message.receivedAt }
  return applyKeyword(tx, { ids, terms: keywords }, received)
}

/** Looked up here only where nobody has before: of what was joined, the text is known only now. */
const ownWordsOf = async (tx: Tx, message: InboundMessage): Promise<WordsOfAccounts> => {
  const { ownWords, text, isShared, accountId } = message
  return ownWords ?? findOwnWords(tx, { text, accountId: isShared === true ? null : accountId })
}

/** For any account that it may be about. */
const isStop = (
  { text, ownWords }: InboundMessage & { ownWords: WordsOfAccounts },
  keywords: KeywordTerms | undefined,
): boolean => keywords !== undefined && readKeywords(text, keywords.stopWords, ownWords).isAny('stop')

/** Whether any of its fingerprints was seen before, its own or one of a telling that said less or more; from now on its own was. */
async function seenBefore(
  tx: Tx,
  { deviceId, fingerprint, formerFingerprint, toldOtherwise, receivedAt }: InboundMessage,
): Promise<'never' | 'same' | 'otherwise'> {
  const seen = { device_id: deviceId, fingerprint, received_at: receivedAt }
  if ((await insertRows(tx, 'inbound_seen', [seen], 'ignore')) === 0) return 'same'
  if (toldOtherwise !== undefined) {
    if (await takeOtherTelling(tx, deviceId, toldOtherwise.looksFor)) return 'otherwise'
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

/** Of the tellings of one text that wait for their other ones so many are looked at; each of them serves, and what is over waits its turn. */
const maxOtherTellings = 100

/**
 * Whether one of these names was kept; the telling that kept it, the oldest that may be it, is then spoken for. Fingerprints stay: they are no kept names.
 */
async function takeOtherTelling(tx: Tx, deviceId: string, looksFor: readonly string[]): Promise<boolean> {
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

const nearTellings = {
  sql: `select fingerprint, received_at from inbound_seen
        where device_id = :device and fingerprint > :beginning and fingerprint < :behind order by fingerprint limit ${maxOtherTellings}`,
  inputs: ['device', 'beginning', 'behind'],
} as const

/** The oldest that was kept under a name that begins so; of each beginning the first names alone are read. */
async function findNear(
  tx: Tx,
  deviceId: string,
  beginnings: readonly string[],
): Promise<{ fingerprint: string }[]> {
  // Behind the slash comes the 0.
  const inputs = beginnings.map((name) => [deviceId, name, `${name.slice(0, -1)}0`])
  const near = await selectEach<{ fingerprint: string; received_at: number }>(tx, nearTellings, inputs)
  return near.toSorted((a, b) => a.received_at - b.received_at).slice(0, 1)
}

async function accountOfAttempt(tx: Tx, attemptId: string | null): Promise<string | null> {
  if (attemptId === null) return null
  const row = await tx
    .selectFrom('attempts')
    .select('account_id')
    .where('id', '=', attemptId)
    .executeTakeFirst()
  return row?.account_id ?? null
}

const inboundRow = (message: InboundMessage, accountId: string, id: string) => ({
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
  created_at: message.receivedAt,
  received_at: message.networkAt ?? null,
  finalized_at: message.receivedAt,
  settled_at: message.receivedAt,
  updated_at: message.receivedAt,
})
