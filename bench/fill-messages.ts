import type { DatabaseSync } from 'node:sqlite'
import { createIds } from '../src/runtime/ids.ts'
import { stepOf } from '../src/messages/core/time-scale.ts'
import { grainMs } from '../src/messages/core/traffic.ts'
import { recipientOf, textOfMessages } from './load-job.ts'
import type { BenchAccount } from './server-process.ts'

/** What a reader of the messages needs to ask for some of them. */
export interface FilledRange {
  firstAtMs: number
  lastAtMs: number
  /** Recipients of the measured account are `recipientOf(0)` and so on. */
  recipients: number
  /** Its references are `order-0` and so on. */
  references: number
}

/** Whose messages, how many, and until when. */
export interface Filling extends Pick<BenchAccount, 'accountId' | 'deviceId'> {
  messages: number
  nowMs: number
}

const dayMs = 86_400_000
const spanMs = 20 * dayMs
const otherAccounts = 20
/** Messages to one number, however many there are. */
const perRecipient = 50
const messagesPerSend = 4

/**
 * Fills a fresh database with messages of the last 20 days: four of five of the measured account, the rest of 20 others, in between. Of a
 * thousand, 970 are delivered, 15 undelivered, 13 failed, and as many as 2 wait at the end. Wallets, days and counters are their sums.
 */
export function fillMessages(database: DatabaseSync, filling: Filling): FilledRange {
  const { messages, nowMs } = filling
  const range: FilledRange = {
    firstAtMs: nowMs - spanMs,
    lastAtMs: nowMs,
    recipients: Math.ceil(messages / perRecipient),
    references: Math.ceil(messages / messagesPerSend),
  }
  database.exec('begin')
  const others = addAccounts(database, nowMs)
  insertMessages(database, filling, others, range)
  database.exec(attemptsOfMessages)
  database.exec(changesOfMessages)
  database.exec(lastChange)
  database.exec(queueOfMessages)
  database.exec(totalsOfQueue)
  database.exec(daysOfMessages)
  for (const [grain, sizeMs] of Object.entries(grainMs)) {
    database.exec(trafficOfMessages(grain, sizeMs))
    database.exec(timesOfMessages(grain, sizeMs))
  }
  database.exec(walletsOfMessages)
  database.prepare(grantsOfOthers).run(filling.accountId)
  database.exec('commit')
  return range
}

function addAccounts(database: DatabaseSync, nowMs: number): string[] {
  const ids = createIds({ now: () => nowMs })
  const account = database.prepare(
    "insert into accounts (id, name, state, created_at, updated_at) values (?, ?, 'active', ?, ?)",
  )
  const wallet = database.prepare(
    'insert into wallets (account_id, mode, granted, reserved, used, low_threshold, refilled_day) values (?, ?, 0, 0, 0, 5, ?)',
  )
  return Array.from({ length: otherAccounts }, (_, i) => {
    const id = ids('acc')
    account.run(id, `Other ${i}`, nowMs, nowMs)
    wallet.run(id, 'live', null)
    // Refilled for years to come: the refiller has nothing to do.
    wallet.run(id, 'test', 100_000)
    return id
  })
}

function insertMessages(
  database: DatabaseSync,
  { accountId, deviceId, messages, nowMs }: Filling,
  others: readonly string[],
  range: FilledRange,
): void {
  let atMs = range.firstAtMs
  const ids = createIds({ now: () => Math.floor(atMs) })
  const message = database.prepare(insertMessage)
  const send =
    database.prepare(`insert into sends (account_id, id, mode, key_id, first_message_id, last_message_id, smart_encoding_applied, created_at)
    values (?, ?, 'live', 'key_bench', ?, ?, 0, ?)`)
  const waitFrom = messages - Math.ceil(messages / 500)
  const sends = Math.floor(messages / messagesPerSend)
  for (let n = 0; n < sends; n++) {
    atMs = range.firstAtMs + (n * spanMs) / sends
    const createdAt = Math.floor(atMs)
    const owner = n % 5 === 4 ? (others[Math.floor(n / 5) % others.length] as string) : accountId
    const sendId = ids('snd')
    const messageIds = Array.from({ length: messagesPerSend }, () => ids('msg'))
    for (let i = 0; i < messagesPerSend; i++) {
      const number = n * messagesPerSend + i
      const state = number >= waitFrom ? waiting : endOf(number)
      const sentAt = state.sent ? createdAt + 20 : null
      const finalAt = state.final ? createdAt + 3_000 : null
      message.run(
        owner, messageIds[i] as string, sendId, state.status, recipientOf((number * 7_919) % range.recipients), textOfMessages,
        state.charged, state.costState, state.final ? deviceId : null, state.final ? 1 : null, state.error,
        state.final ? 1 : 0, state.sequence, `order-${n}`, createdAt, nowMs + 30 * dayMs, sentAt,
        state.status === 'delivered' ? finalAt : null, finalAt, finalAt ?? createdAt,
      ) // prettier-ignore
    }
    send.run(owner, sendId, messageIds[0] as string, messageIds.at(-1) as string, createdAt)
  }
}

const insertMessage = `insert into messages (account_id, mode, id, send_id, direction, status, recipient, country, category, text,
    text_redacted, encoding, units, parts, parts_sent, held, charged, cost_state, on_unknown, device_id, receipt_expected, error_code,
    attempts, possible_duplicate, sequence, client_reference, metadata, created_at, expires_at, sent_at, delivered_at, finalized_at,
    settled_at, updated_at)
  values (?1, 'live', ?2, ?3, 'outbound', ?4, ?5, 'DE', 'transactional', ?6, 0, 'gsm7', 64, 1, ?7, 1, ?7, ?8, 'stop', ?9, ?10, ?11, ?12,
    0, ?13, ?14, '{}', ?15, ?16, ?17, ?18, ?19, ?19, ?20)`

const delivered = {
  status: 'delivered',
  sent: true,
  final: true,
  charged: 1,
  costState: 'charged',
  error: null,
  sequence: 4,
}
const undelivered = { ...delivered, status: 'undelivered', error: 'unreachable' }
const failed = {
  ...delivered,
  status: 'failed',
  sent: false,
  charged: 0,
  costState: 'released',
  error: 'network_rejected',
  sequence: 3,
}
const waiting = { ...failed, status: 'queued', final: false, costState: 'held', error: null, sequence: 1 }

function endOf(number: number): typeof delivered | typeof undelivered {
  const of = number % 1_000
  return of < 15 ? undelivered : of < 28 ? failed : delivered
}

/** One attempt each, under the message's id with another prefix. */
const attemptsOfMessages = `insert into attempts (account_id, mode, message_id, number, id, device_id, fence, state, parts_sent, network_ids, outcome, started_at, ended_at)
  select account_id, mode, id, 1, 'att_' || substr(id, 5), device_id, 1, case charged when 1 then 'accepted' else 'refused' end, charged,
    case charged when 1 then '["sim_' || substr(id, 5) || '_1_mi8v2k3x_d"]' end, case charged when 1 then 'accepted' else error_code end,
    created_at + 10, created_at + 20
  from messages where attempts = 1 order by account_id, mode, id`
/** As lives record them: accepted, claimed, sent and final are a change each, of which the last one is not out of date. Each millisecond is a unit. */
const changesOfMessages = `insert into message_changes (account_id, mode, number, part, messages)
  select account_id, mode, at * 1000, part, group_concat(entry, ' ') from (
    select account_id, mode, at, entry, (row_number() over (partition by account_id, mode, at order by entry) - 1) / 100 as part from (
      select account_id, mode, created_at as at, substr(id, 5) as entry from messages
      union all
      select account_id, mode, created_at + 10, substr(id, 5) || ':2' from messages where attempts = 1
      union all
      select account_id, mode, created_at + 20, substr(id, 5) || ':3' from messages where sequence = 4
      union all
      select account_id, mode, updated_at, substr(id, 5) || ':' || sequence from messages where sequence > 1))
  group by account_id, mode, at, part`
const lastChange = `insert or replace into change_lanes (lane, last_change) select -1, max(updated_at) * 1000 + 999 from messages`
const queueOfMessages = `insert into queue (route_key, account_id, priority, due_at, message_id, mode, parts, expires_at)
  select 'live:', account_id, 1, created_at, id, mode, parts, expires_at from messages where status = 'queued' order by account_id, created_at, id`
const totalsOfQueue = `insert into queue_totals (account_id, mode, route_key, messages, parts, next_expiry_at)
  select account_id, mode, route_key, count(*), sum(parts), min(expires_at) from queue group by account_id, mode, route_key`
const daysOfMessages = `insert into usage_days (account_id, mode, day, parts)
  select account_id, mode, sent_at / 86400000, sum(charged) from messages where charged > 0 group by account_id, mode, sent_at / 86400000`
const trafficOfMessages = (
  grain: string,
  sizeMs: number,
) => `insert into traffic (account_id, mode, grain, bucket, accepted, delivered, undelivered, failed)
  select account_id, mode, '${grain}', created_at - created_at % ${sizeMs}, count(*), sum(status = 'delivered'), sum(status = 'undelivered'), sum(status = 'failed')
  from messages group by account_id, mode, created_at - created_at % ${sizeMs}`
const timesOfMessages = (
  grain: string,
  sizeMs: number,
) => `insert into traffic_times (account_id, mode, grain, bucket, measure, step, messages)
  select account_id, mode, '${grain}', created_at - created_at % ${sizeMs}, 'to_sent', ${stepOf(20)}, count(*)
  from messages where sent_at is not null group by account_id, mode, created_at - created_at % ${sizeMs}
  union all
  select account_id, mode, '${grain}', created_at - created_at % ${sizeMs}, 'to_delivered', ${stepOf(3_000)}, count(*)
  from messages where status = 'delivered' group by account_id, mode, created_at - created_at % ${sizeMs}`
const walletsOfMessages = `update wallets set reserved = sums.reserved, used = sums.used, granted = max(granted, sums.reserved + sums.used + 1000)
  from (select account_id, mode, sum(case when cost_state = 'held' then held else 0 end) as reserved, sum(charged) as used from messages group by account_id, mode) as sums
  where wallets.account_id = sums.account_id and wallets.mode = sums.mode`
const grantsOfOthers = `insert into ledger_entries (account_id, mode, id, kind, sms, note, actor, created_at)
  select account_id, mode, 'led_' || substr(account_id, 5), 'grant', granted, 'bench', 'bench', 0 from wallets
  where mode = 'live' and granted > 0 and account_id not in (select account_id from ledger_entries) and account_id <> ?`
