import { allDone } from '../../runtime/all-done.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Category, Encoding, Mode, OnUnknown } from '../../storage/tables/schema.ts'
import { advanceProgress } from '../../storage/instance/progress.ts'
import { insertRows, selectEach } from '../../storage/seam/sets.ts'
import type { Change, TakeChange } from '../core/change-number.ts'
import { deferForQuietHours } from './defer-for-quiet-hours.ts'
import { endRows } from './finish-queued.ts'
import { dropStale } from './dequeue.ts'
import { recordChanges } from '../core/message-changes.ts'
import { type MessageKey, type MessageState, readStates } from '../core/message-store.ts'
import { offerRow, type PhoneOffering } from '../phones/phone-offers.ts'
import { optedOutInAnotherSpelling } from '../core/read-opt-outs.ts'
import type { QuietHours } from './quiet-until.ts'
import { takeFromQueue } from './take-from-queue.ts'
import type { QueuePosition } from './queue-position.ts'
import { withinPaces } from './within-paces.ts'

/**
 * Asks for messages of one account's route, up to what a device may be given now. Several of one route differ in
 * the parts of their messages.
 */
export interface ClaimRequest {
  accountId: string
  mode: Mode
  routeKey: string
  deviceId: string
  quota: number
  /** Only messages of more parts than this, */
  partsOver: number
  /** and of at most this many, which the device can join. */
  partsUpTo: number
  /** Maximum total of parts, but always one message: a rate-limited device claims no page of long ones. */
  maxParts?: number
  /** The claimer's lease of the device, if it has leases: nothing is claimed after another node took it. */
  leaseToken?: number
  /** The claimer records submissions and their outcomes in its submission log. */
  isLogged?: true
  groupId?: string
  /** The device belongs to the account and sends for real: it pays for what it sends of messages with a fallback. */
  isOwn?: true
  /** Of the account: messages that would disturb their recipient now are delayed. */
  quiet?: QuietHours
  /** Only messages that have been due for so long: a later stage of their way. Omitted: all that are due. */
  waitedMs?: number
  /** Why the device gets them (walk-way.ts); omitted for one of the first stage. */
  why?: string
  /** Set when a phone fetches: claimed messages are offered to it, for these SIMs. */
  phone?: PhoneOffering
}

/** A message in flight: what its device needs, and what finishing it needs. */
export interface Claimed extends MessageKey {
  attemptId: string
  attemptNumber: number
  /** When it was claimed: its outcome is not earlier, though the clock was set back. */
  startedAt: number
  deviceId: string
  to: string
  from: string | null
  text: string
  encoding: Encoding
  parts: number
  category: Category
  expiresAt: number
  onUnknown: OnUnknown
  possibleDuplicate: boolean
  position: QueuePosition
  /** The SIM that a phone must send it with; null or undefined leaves the choice to the device. */
  sim?: number | null
  /** Fence of the process whose submission log records whether it was submitted. Omitted if no log does. */
  loggedBy?: number
  /** The group of its device, if known. */
  groupId?: string
  /** See `ClaimRequest`. */
  why?: string
}

/** What a claim reads of a message. */
const claimedColumns = [
  'account_id', 'mode', 'id', 'status', 'recipient', 'sender', 'category', 'parts', 'on_unknown', 'attempts', 'possible_duplicate', 'sequence',
  'expires_at',
] as const satisfies readonly (keyof MessageState)[] // prettier-ignore

/** `request` is the index of its claim request in the batch. */
type ClaimRow = Pick<MessageState, (typeof claimedColumns)[number]> &
  QueuePosition & {
    text: string
    encoding: Encoding
    country: string | null
    request: number
    is_opted_out: 1 | null
    sim?: number | null
  }

/** Finds an opt-out of the recipient. The one message that confirms an opt-out may still be sent. */
const optedOut = `select 1 from opt_outs o where o.account_id = q.account_id and o.mode = q.mode and o.recipient = m.recipient
          and (o.forget_at is null or o.forget_at > :now) and (o.confirmation_id is null or o.confirmation_id <> q.message_id)`

/**
 * Reads the queue of one route in its own order: priority, then due time. Nothing is claimed after its validity
 * (P8), by the wall clock; a clock that never steps back decides when a message is due.
 */
const nextOfRoute = nextOf('')

/**
 * The same of messages of one priority, for those that have been due for some time: the time is behind the priority in the key
 * of the queue, so that one statement for all priorities would read every message that has not waited so long.
 */
const nextWaited = nextOf('and q.priority = :priority')
const priorities = [0, 1, 2]

function nextOf(condition: '' | 'and q.priority = :priority') {
  return {
    sql: `select ${claimedColumns.map((column) => `m.${column}`).join(', ')}, m.text, m.encoding, m.country, q.route_key, q.priority, q.due_at, q.refusals, :request as request, (${optedOut}) as is_opted_out
        from queue q cross join messages m on m.account_id = q.account_id and m.mode = q.mode and m.id = q.message_id
        where (:lease is null or exists (select 1 from devices d where d.id = :device and d.lease_token = :lease))
          and not exists (select 1 from nodes n where n.epoch = :fence and n.left_at is not null)
          and q.route_key = :route and q.account_id = :account ${condition} and q.due_at <= :due and q.expires_at > :now
          and q.restore_hold = 0 and q.parts > :over and q.parts <= :most
        order by q.priority, q.due_at, q.message_id limit :quota`,
    inputs: ['route', 'account', 'due', 'now', 'quota', 'over', 'most', 'request', 'device', 'lease', 'fence', ...(condition === '' ? [] : ['priority'])], // prettier-ignore
    numbers: ['lease'],
  }
}

interface ClaimInput {
  requests: readonly ClaimRequest[]
  nowMs: number
  dueMs: number
  fence: number
}

export interface ClaimsMade {
  claimed: Claimed[]
  /** How many rows were found for each request, including those that were then canceled or deferred. */
  found: number[]
  /** The account of each message that was canceled because of an opt-out; omitted if there were none. */
  canceledFor?: string[]
  /** The progress of the database with these claims (progress.ts); omitted if nothing was claimed. */
  progress?: number
}

/**
 * Claims messages for devices as one unit. An attempt with its fencing token is opened for each, which makes it
 * `sending`, and flushed with the transaction, before a connector sees it (P5). Claims nothing for a node that has lost its lease or was declared dead. Returns the claimed messages, request by request. Rejects a
 * database that has not progressed beyond `known`, because it was restored (`RestoredError`).
 */
export async function claimMessages(
  tx: Tx,
  ids: Ids,
  asked: ClaimInput & { known?: number },
  take: TakeChange,
): Promise<ClaimsMade> {
  const { requests, fence } = asked
  const requestOf = (row: ClaimRow): ClaimRequest => requests[row.request] as ClaimRequest
  const read = await readNext(tx, asked)
  if (read.length === 0) return { claimed: [], found: requests.map(() => 0) }
  const unit = await take()
  const nowMs = unit.nowMs
  const fresh = await dropStale(tx, read)
  const notOptedOut = await cancelOptedOut(tx, unit, fresh)
  const canceled =
    notOptedOut === fresh ? {} : { canceledFor: notIn(fresh, notOptedOut).map((row) => row.account_id) }
  const notDeferred = requests.some(({ quiet }) => quiet !== undefined)
    ? await deferForQuietHours(tx, notOptedOut, { hoursOf: (row) => requestOf(row).quiet, nowMs })
    : notOptedOut
  const rows = requests.some((request) => request.phone !== undefined)
    ? withinPaces(notDeferred, requests)
    : notDeferred
  const found = requests.map(() => 0)
  // A request whose rows were dropped may find more after them.
  for (const { request } of notDeferred === read ? rows : [...rows, ...notIn(read, notDeferred)])
    found[request] = (found[request] as number) + 1
  if (rows.length === 0) return { claimed: [], found, ...canceled }

  const claimed = rows.map((row) => {
    const { isLogged, groupId, deviceId, why } = requestOf(row)
    const claim = claimOf(row, { attemptId: ids('att'), startedAt: nowMs, deviceId })
    return {
      ...claim,
      ...(isLogged && { loggedBy: fence }),
      ...(groupId !== undefined && { groupId }),
      ...(why !== undefined && { why }),
    }
  })
  const leaseOf = new Map(requests.map(({ deviceId, leaseToken }) => [deviceId, leaseToken ?? null]))
  const own = new Set(requests.flatMap(({ deviceId, isOwn }) => (isOwn ? [deviceId] : [])))
  const [progress] = await allDone([
    advanceProgress(tx, asked.known ?? 0),
    takeFromQueue(tx, claimed, { fence, leaseOf, own }),
    recordChanges(
      tx,
      unit,
      rows.map((row) => ({ ...keyOf(row), sequence: row.sequence + 1 })),
    ),
  ])
  await insertRows(tx, 'phone_offers', offersOf(claimed, rows, requests, nowMs))
  return { claimed, found, ...canceled, progress }
}

/** Reads what the requests ask for. Those that ask for messages that have waited read one priority after the other. */
async function readNext(tx: Tx, asked: ClaimInput): Promise<ClaimRow[]> {
  const inputs = asked.requests.map((request, i) => inputOf(asked, request, i))
  const isWaited = (_: unknown, i: number): boolean => asked.requests[i]?.waitedMs !== undefined
  const [rows, waited] = await allDone([
    selectEach<ClaimRow>(
      tx,
      nextOfRoute,
      inputs.filter((_, i) => !isWaited(_, i)),
    ),
    selectEach<ClaimRow>(
      tx,
      nextWaited,
      inputs.filter(isWaited).flatMap((input) => priorities.map((priority) => [...input, priority])),
    ),
  ])
  if (waited.length === 0) return rows
  const left = asked.requests.map(({ quota }) => quota)
  const within = waited.filter(({ request }) => ((left[request] as number) -= 1) >= 0)
  return [...rows, ...within]
}

const inputOf = ({ nowMs, dueMs, fence }: ClaimInput, request: ClaimRequest, i: number) => [
  request.routeKey,
  request.accountId,
  dueMs - (request.waitedMs ?? 0),
  nowMs,
  request.quota,
  request.partsOver,
  request.partsUpTo,
  i,
  request.deviceId,
  request.leaseToken ?? null,
  fence,
]

const notIn = (rows: readonly ClaimRow[], others: readonly ClaimRow[]): ClaimRow[] => {
  const kept = new Set(others)
  return rows.filter((row) => !kept.has(row))
}

/** Cancels messages to numbers that have opted out, and returns the others. */
async function cancelOptedOut(tx: Tx, unit: Change, rows: readonly ClaimRow[]): Promise<readonly ClaimRow[]> {
  const otherSpellings = await optedOutInAnotherSpelling(tx, rows, unit.nowMs)
  const isOptedOut = (row: ClaimRow): boolean => row.is_opted_out !== null || otherSpellings.has(row.id)
  const canceled = rows.filter(isOptedOut)
  if (canceled.length === 0) return rows
  const states = await readStates(
    tx,
    canceled.map(({ account_id, mode, id }) => ({ accountId: account_id, mode, messageId: id })),
  )
  const placeOf = new Map(canceled.map(({ id, route_key, priority, due_at }) => [id, { route_key, priority, due_at }])) // prettier-ignore
  await endRows(
    tx,
    unit,
    states.map((state) => ({ ...state, ...(placeOf.get(state.id) as QueuePosition) })),
    { trigger: 'canceled', code: 'recipient_opted_out' },
  )
  return rows.filter((row) => !isOptedOut(row))
}

/** The offer to a phone is written with the claim itself, so that no crash separates them. */
const offersOf = (
  claimed: readonly Claimed[],
  rows: readonly ClaimRow[],
  requests: readonly ClaimRequest[],
  nowMs: number,
) =>
  claimed.flatMap((claim, i) => {
    const { phone } = requests[(rows[i] as ClaimRow).request] as ClaimRequest
    return phone === undefined ? [] : [offerRow(claim, phone.phoneId, nowMs)]
  })

function claimOf(row: ClaimRow, attempt: Pick<Claimed, 'attemptId' | 'startedAt' | 'deviceId'>): Claimed {
  const { route_key, priority, due_at, refusals } = row
  return {
    accountId: row.account_id,
    mode: row.mode,
    messageId: row.id,
    ...attempt,
    attemptNumber: row.attempts + 1,
    to: row.recipient,
    from: row.sender,
    text: row.text,
    encoding: row.encoding,
    parts: row.parts,
    category: row.category,
    expiresAt: row.expires_at as number,
    onUnknown: row.on_unknown,
    possibleDuplicate: row.possible_duplicate === 1,
    position: { route_key, priority, due_at, refusals },
    ...(row.sim === undefined ? {} : { sim: row.sim }),
  }
}

const keyOf = ({ account_id, mode, id }: ClaimRow) => ({ account_id, mode, id })
