import { allDone } from '../../runtime/all-done.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Category, Encoding, Mode, OnUnknown } from '../../storage/tables/schema.ts'
import type { PlanUsage } from '../../devices/plans/sim-plan.ts'
import { advanceProgress } from '../../storage/instance/progress.ts'
import { insertRows } from '../../storage/seam/sets.ts'
import type { Change, TakeChange } from '../core/change-number.ts'
import { deferForQuietHours } from './defer-for-quiet-hours.ts'
import { endRows } from './finish-queued.ts'
import { dropStale } from './dequeue.ts'
import { recordChanges } from '../core/message-changes.ts'
import { type MessageKey, readStates } from '../core/message-store.ts'
import { offerRow, type PhoneOffering } from '../phones/phone-offers.ts'
import { optedOutInAnotherSpelling } from '../core/read-opt-outs.ts'
import type { QuietHours } from './quiet-until.ts'
import { inQueueOrder } from './in-queue-order.ts'
import { type ClaimInput, type ClaimRow, onceEach, readNext } from './read-claimable.ts'
import { type ClaimPlans, readPlanRooms } from './plan-rooms.ts'
import { takeFromQueue } from './take-from-queue.ts'
import type { QueuePosition } from './queue-position.ts'
import { withinPaces } from './within-paces.ts'
import { withinQuotas } from './within-quotas.ts'

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
  /** All requests of its device and route, which differ in the parts of their messages, get this quota together. */
  sharesQuota?: true
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
  /** Of the SIMs of the device: what they do not include is not claimed. */
  plans?: ClaimPlans
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
  /** The SIM plans that count it; omitted if its device has none. */
  planCounts?: string
}

export interface ClaimsMade {
  claimed: Claimed[]
  /** How many rows were found for each request, including those that were then canceled or deferred. */
  found: number[]
  /** The account of each message that was canceled because of an opt-out; omitted if there were none. */
  canceledFor?: string[]
  /** What was used of the SIM plans of the devices, with these claims; omitted if they have none. */
  plans?: PlanUsage[]
  /** Devices at their limit of numbers that have looked at many messages and found none for their numbers. */
  inVain?: string[]
  /** The progress of the database with these claims (progress.ts); omitted if nothing was claimed. */
  progress?: number
}

/**
 * Claims messages for devices as one unit. An attempt with its fencing token is opened for each, which makes it
 * `sending`, and flushed with the transaction, before a connector sees it (P5). Claims nothing for a node that has lost its
 * lease or was declared dead. Returns the claimed messages, account by account in the order of its queue; which ones it takes is
 * decided request by request. Rejects a database that has not progressed beyond `known`, because it was restored (`RestoredError`).
 */
export async function claimMessages(
  tx: Tx,
  ids: Ids,
  asked: Omit<ClaimInput, 'requests'> & { requests: readonly ClaimRequest[]; known?: number },
  take: TakeChange,
): Promise<ClaimsMade> {
  const { requests, fence } = asked
  const requestOf = (row: ClaimRow): ClaimRequest => requests[row.request] as ClaimRequest
  const plans = await readPlanRooms(tx, requests, asked.nowMs)
  const [read, unit] = await allDone([readNext(tx, asked, plans), take()])
  const used = plans === null ? {} : { plans: plans.usage, inVain: [...plans.inVain] }
  if (read.length === 0) return { claimed: [], found: requests.map(() => 0), ...used }
  const nowMs = unit.nowMs
  const fresh = await dropStale(tx, plans === null ? read : onceEach(read))
  const notOptedOut = await cancelOptedOut(tx, unit, fresh)
  const canceled =
    notOptedOut === fresh ? {} : { canceledFor: notIn(fresh, notOptedOut).map((row) => row.account_id) }
  const notDeferred = requests.some(({ quiet }) => quiet !== undefined)
    ? await deferForQuietHours(tx, notOptedOut, { hoursOf: (row) => requestOf(row).quiet, nowMs })
    : notOptedOut
  const fitting = withinQuotas(notDeferred, requests)
  await plans?.learn(
    tx,
    fitting.map((row) => ({ ...row, deviceId: requestOf(row).deviceId })),
  )
  const paced =
    plans !== null || requests.some((request) => request.phone !== undefined)
      ? withinPaces(fitting, requests, plans)
      : fitting
  const rows = requests.length === 1 ? paced : inQueueOrder(paced)
  // A request whose rows were dropped may find more after them.
  const found = countEach(requests, fitting === read ? rows : [...rows, ...notIn(read, fitting)])
  if (rows.length === 0) return { claimed: [], found, ...canceled, ...used }

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
  const [, , , , progress] = await allDone([
    takeFromQueue(tx, claimed, { fence, leaseOf, own }),
    recordChanges(
      tx,
      unit,
      rows.map((row) => ({ ...keyOf(row), sequence: row.sequence + 1 })),
    ),
    plans?.count(tx),
    insertRows(tx, 'phone_offers', offersOf(claimed, rows, requests, nowMs)),
    // Last, because it reads what it adds to: what is posted behind that is another text.
    advanceProgress(tx, asked.known ?? 0, fence),
  ])
  return { claimed, found, ...canceled, progress, ...used }
}

function countEach(requests: readonly ClaimRequest[], rows: readonly { request: number }[]): number[] {
  const counts = requests.map(() => 0)
  for (const { request } of rows) counts[request] = (counts[request] as number) + 1
  return counts
}

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
    ...(row.planCounts === undefined ? {} : { planCounts: row.planCounts }),
  }
}

const keyOf = ({ account_id, mode, id }: ClaimRow) => ({ account_id, mode, id })
