import { allDone } from '../../runtime/all-done.ts'
import { utcDay } from '../../runtime/clock.ts'
import { readWallets, WalletChanges, walletKey } from '../../ledger/ledger.ts'
import { type Db, StorageError, type Tx } from '../../storage/seam/dialect.ts'
import type { Flag } from '../../storage/tables/schema.ts'
import { addToRows, insertRows, selectEach } from '../../storage/seam/sets.ts'
import { defer } from '../queue/deferred.ts'
import { capDayOf, decideSends, type Decision, type SendStanding } from './decide-sends.ts'
import { type Change, type StampPlace, takePlaces } from '../core/change-number.ts'
import { armedRows } from '../core/followers.ts'
import { type Choice, readSubscriptions, recordMessageEvents } from '../core/events.ts'
import { recordChanges } from '../core/message-changes.ts'
import { acceptedAs, type AcceptedAs, isLone } from './send-ids.ts'
import { findReplays } from './find-replays.ts'
import { storeWays } from '../../devices/routes/ways-store.ts'
import { priorityOf } from '../core/route-key.ts'
import { routeOfRecipient } from './route-of-recipient.ts'
import { queueTotalRows } from './queue-total-rows.ts'
import { queueTotalShape } from '../queue/queue-totals.ts'
import type { SendRequest, SendResult, Warning } from './send-request.ts'
import { countNew } from '../core/traffic.ts'

/**
 * Accepts a batch of sends as one unit: idempotency, then cost and queue, then the rows. Everything accepted
 * is flushed with the unit's transaction (P1); the same key never makes a second message (P3); no device is
 * contacted. Messages get the time and the place of the unit.
 */
export async function sendMessages(
  tx: Tx,
  requests: readonly SendRequest[],
  numbered: Promise<Change>,
): Promise<SendResult[]> {
  const [unit, replays, standing, subscriptions] = await allDone([
    numbered,
    findReplays(tx, requests),
    readStanding(tx, requests),
    readSubscriptions(tx, new Set(requests.map(({ accountId }) => accountId))),
  ])
  const fresh = requests.filter((_, i) => replays[i] === null)
  rejectRepeatedKey(fresh)
  const decisions = decideSends(fresh, standing)
  const accepted = fresh.flatMap((request, i): AcceptedSend[] => {
    const decision = decisions[i]
    if (decision?.kind !== 'accept') return []
    const place = takePlaces(unit, request.recipients.length)
    return [{ ...request, ...acceptedAs(request, place), decision, place }]
  })
  if (accepted.length > 0) await store(tx, unit, accepted, subscriptions)

  const places = accepted.map(({ place }) => place).values()
  let next = 0
  return requests.map((_, i) => {
    const replay = replays[i] ?? null
    if (replay !== null) return { kind: 'replayed', replay }
    const decision = decisions[next++] as Decision
    if (decision.kind === 'refuse') return { ...decision, kind: 'refused' }
    return { ...decision, kind: 'accepted', place: places.next().value as StampPlace }
  })
}

/** A send as it is stored. */
interface AcceptedSend extends SendRequest, AcceptedAs {
  messageIds: readonly string[]
  decision: Decision & { kind: 'accept' }
  place: StampPlace
}

/**
 * Fails a batch with two sends under one new key. The second repeats the first, and must not be checked
 * against the balance. The writer then runs each call separately, and the second finds the first.
 */
function rejectRepeatedKey(sends: readonly SendRequest[]): void {
  const keyed = sends.filter((send) => send.idempotency !== null)
  const names = new Set(keyed.map((send) => `${walletKey(send)}/${send.idempotency?.key}`))
  if (names.size < keyed.length)
    throw new StorageError('one Idempotency-Key is used twice in a batch', 'constraint', false)
}

/** Prices a send as of now, and stores nothing. */
export async function priceSend(db: Db, request: SendRequest): Promise<Decision> {
  return decideSends([request], await readStanding(db, [request]))[0] as Decision
}

const waitingOf = {
  sql: `select account_id, mode, coalesce(sum(messages), 0) as messages from (
          select account_id, mode, messages from queue_totals where account_id = :account and mode = :mode
          union all
          select account_id, mode, messages from deferred_totals where account_id = :account and mode = :mode) as waits
        group by account_id, mode`,
  inputs: ['account', 'mode'],
  few: true,
} as const
const barredAccount = {
  sql: "select id, state from accounts where id = :account and state <> 'active'",
  inputs: ['account'],
  few: true,
} as const
const usageOfKey = {
  sql: 'select key_id, day, parts from api_key_usage where key_id = :key and day = :day',
  inputs: ['key', 'day'],
  few: true,
  // A key has one account.
  lanes: 'own',
} as const

async function readStanding(db: Db | Tx, requests: readonly SendRequest[]): Promise<SendStanding> {
  const names = [...new Map(requests.map((request) => [walletKey(request), request])).values()]
  const capped = new Map(
    requests.filter((request) => request.dailyCap !== null).map((request) => [capDayOf(request), request]),
  )
  const [wallets, barred, waiting, usage] = await allDone([
    readWallets(db, names),
    selectEach<{ id: string; state: 'suspended' | 'closed' }>(
      db,
      barredAccount,
      names.map((name) => [name.accountId]),
    ),
    selectEach<{ account_id: string; mode: SendRequest['mode']; messages: number }>(
      db,
      waitingOf,
      names.map((name) => [name.accountId, name.mode]),
    ),
    selectEach<{ key_id: string; day: number; parts: number }>(
      db,
      usageOfKey,
      [...capped.values()].map(({ keyId, createdAt }) => [keyId, utcDay(createdAt)]),
    ),
  ])
  return {
    wallets,
    barred: new Map(barred.map((account) => [account.id, account.state])),
    waiting: new Map(
      waiting.map((row) => [walletKey({ accountId: row.account_id, mode: row.mode }), row.messages]),
    ),
    reservedOfDay: new Map(usage.map((row) => [`${row.key_id}/${row.day}`, row.parts])),
  }
}

/**
 * Stores accepted sends. The statements are posted at once: one wake-up of the database thread for the unit, in
 * which they run in this order, and one text on PostgreSQL.
 */
async function store(
  tx: Tx,
  unit: Change,
  sends: readonly AcceptedSend[],
  subscriptions: readonly Choice[],
): Promise<void> {
  const wallets = new WalletChanges()
  for (const send of sends) wallets.reserve(send, send.recipients.length * send.parts)
  const capped = sends.filter((send) => send.dailyCap !== null)
  const scheduled = sends.filter((send) => send.sendAt !== undefined)
  const fresh = scheduled.length === 0 ? sends : sends.filter((send) => send.sendAt === undefined)
  const keyed = sends.filter((send) => send.idempotency !== null)
  const messages = sends.flatMap(messageRows)
  await allDone([
    wallets.apply(tx),
    insertRows(tx, 'sends', sends.filter((send) => !isLone(send)).map(sendRow)),
    storeWays(tx, sends, unit),
    insertRows(tx, 'messages', messages),
    insertRows(tx, 'followers', sends.flatMap(followerRows)),
    insertRows(tx, 'queue', fresh.flatMap(queueRows)),
    addToRows(tx, 'queue_totals', queueTotalShape, queueTotalRows(fresh)),
    defer(tx, scheduled.flatMap(deferredRows)),
    countNew(tx, 'accepted', sends.map(trafficOf)),
    addToRows(tx, 'api_key_usage', { key: ['key_id', 'day'], amounts: ['parts'] }, capped.map(keyUsageRow)),
    insertRows(tx, 'idempotency_keys', keyed.map(idempotencyRow)),
    recordMessageEvents(
      tx,
      messages.map((message) => ({ message, previousStatus: null, correction: false })),
      subscriptions,
    ),
    recordChanges(tx, unit, messages),
  ])
}

const flag = (value: boolean): Flag => (value ? 1 : 0)

const sendRow = (send: AcceptedSend) => ({
  account_id: send.accountId,
  id: send.sendId,
  mode: send.mode,
  key_id: send.keyId,
  first_message_id: send.messageIds[0] as string,
  last_message_id: send.messageIds.at(-1) as string,
  smart_encoding_applied: flag(send.smartEncodingApplied),
  created_at: send.acceptedAt,
  send_at: send.sendAt ?? null,
})

const messageRows = (send: AcceptedSend) =>
  send.recipients.map((recipient, i) => ({
    account_id: send.accountId,
    mode: send.mode,
    id: send.messageIds[i] as string,
    send_id: send.sendId,
    key_id: isLone(send) ? send.keyId : null,
    direction: 'outbound' as const,
    status: send.sendAt === undefined ? ('queued' as const) : ('scheduled' as const),
    recipient: recipient.to,
    sender: send.from,
    country: recipient.country,
    category: send.category,
    text: send.text,
    text_redacted: 0 as const,
    encoding: send.encoding,
    encoding_forced: flag(send.encodingForced === true),
    units: send.units,
    parts: send.parts,
    parts_sent: 0,
    held: send.parts,
    charged: 0,
    cost_state: 'held' as const,
    on_unknown: send.onUnknown,
    paid_by: send.paidBy ?? ('balance' as const),
    fallback: send.fallback ?? null,
    way: recipient.way ?? null,
    attempts: 0,
    possible_duplicate: 0 as const,
    client_reference: send.clientReference,
    metadata: send.metadata,
    created_at: send.acceptedAt,
    send_at: send.sendAt ?? null,
    expires_at: send.expiresAt,
    updated_at: send.updatedAt,
  }))

const queueRows = (send: AcceptedSend) =>
  send.recipients.map((recipient, i) => ({
    route_key: routeOfRecipient(send, recipient),
    account_id: send.accountId,
    priority: priorityOf(send.category),
    due_at: send.dueAt,
    message_id: send.messageIds[i] as string,
    mode: send.mode,
    parts: send.parts,
    expires_at: send.expiresAt,
  }))

const deferredRows = (send: AcceptedSend) =>
  send.recipients.map((recipient, i) => ({
    account_id: send.accountId,
    mode: send.mode,
    message_id: send.messageIds[i] as string,
    reason: 'scheduled' as const,
    wake_at: send.sendAt as number,
    route_key: routeOfRecipient(send, recipient),
    priority: priorityOf(send.category),
    parts: send.parts,
    expires_at: send.expiresAt,
  }))

const trafficOf = (send: AcceptedSend) => ({
  account_id: send.accountId,
  mode: send.mode,
  created_at: send.acceptedAt,
  messages: send.messageIds.length,
})

const followerRows = ({ onUndelivered, messageIds, accountId, mode, acceptedAt }: AcceptedSend) =>
  onUndelivered === undefined ? [] : armedRows({ accountId, mode, createdAt: acceptedAt }, messageIds)

const keyUsageRow = (send: AcceptedSend) => ({
  key_id: send.keyId,
  day: utcDay(send.createdAt),
  parts: send.recipients.length * send.parts,
})

const idempotencyRow = (send: AcceptedSend) => ({
  account_id: send.accountId,
  mode: send.mode,
  key: send.idempotency?.key as string,
  fingerprint: send.idempotency?.fingerprint as string,
  send_id: send.sendId,
  warnings: JSON.stringify(warningsOf(send)),
  balance_available: send.decision.balanceAvailable,
  created_at: send.acceptedAt,
})

/** Returns the warnings of an accepted send, including the one that depends on the balance. */
const warningsOf = (send: AcceptedSend): readonly Warning[] =>
  send.decision.isLow && send.lowBalanceWarning !== undefined
    ? [...send.warnings, send.lowBalanceWarning]
    : send.warnings
