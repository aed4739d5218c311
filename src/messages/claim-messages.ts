import type { Ids } from '../ids.ts'
import type { Tx } from '../storage/dialect.ts'
import type { Encoding, Mode } from '../storage/schema.ts'
import { adjustRows, insertRows, selectEach, updateRows } from '../storage/sets.ts'
import { advanceMessages } from './advance-messages.ts'
import { type MessageState, routeKeyOf, stateColumnsOf } from './message-store.ts'

/** So many messages of one account's route may go to this device now. */
export interface Want {
  accountId: string
  mode: Mode
  routeKey: string
  deviceId: string
  quota: number
}

/** Where a message stands in the queue. */
export interface QueuePlace {
  route_key: string
  priority: number
  due_at: number
  refusals: number
}

/** A message that is being handed over: everything that its end needs, so that nothing is looked up again. */
export interface Claimed extends QueuePlace {
  attemptId: string
  attemptNumber: number
  deviceId: string
  message: MessageState
  text: string
  encoding: Encoding
}

type ClaimRow = MessageState & QueuePlace & { text: string; encoding: Encoding }

/**
 * Reads the queue of one route in its own order: priority, then due time. Rows that were claimed and not yet ended are passed over;
 * there are never more of them than the windows of the devices. Nothing is claimed after its validity (P8).
 */
const nextOfRoute = {
  sql: `select ${stateColumnsOf('m')}, m.text, m.encoding, q.route_key, q.priority, q.due_at, q.refusals
        from queue q cross join messages m on m.account_id = q.account_id and m.mode = q.mode and m.id = q.message_id
        where q.route_key = :route and q.account_id = :account and q.due_at <= :now and q.expires_at > :now
          and q.claimed_by is null and q.restore_hold = 0
        order by q.priority, q.due_at, q.message_id limit :quota`,
  inputs: ['route', 'account', 'now', 'quota'],
} as const

/**
 * Claims messages for devices as one unit: an attempt with its fencing token is written for each and flushed with the transaction,
 * before a connector sees it (P5). Gives what was claimed, want by want, and how many each want got.
 */
export async function claimMessages(
  tx: Tx,
  deps: { ids: Ids; nowMs: number; fence: number },
  wants: readonly Want[],
): Promise<{ claimed: Claimed[]; counts: number[] }> {
  const { ids, nowMs, fence } = deps
  const rows = await selectEach<ClaimRow>(tx, nextOfRoute, wants.map((want) => [want.routeKey, want.accountId, nowMs, want.quota]))
  if (rows.length === 0) return { claimed: [], counts: wants.map(() => 0) }

  const devices = devicesOf(rows, wants)
  const states = await advanceMessages(
    tx,
    rows.map((row, i) => ({ message: row, event: 'claimed', atMs: nowMs, deviceId: devices[i] as string })),
  )
  const claimed: Claimed[] = rows.map((row, i) => {
    const message = states[i]
    if (message === null || message === undefined) throw new Error(`a queue row stands for a message that is ${row.status}`)
    const { text, encoding, route_key, priority, due_at, refusals } = row
    const deviceId = devices[i] as string
    return { attemptId: ids('att'), attemptNumber: message.attempts, deviceId, message, text, encoding, route_key, priority, due_at, refusals }
  })
  await writeAttempts(tx, claimed, nowMs, fence)
  const tally = new Map<string, number>()
  for (const row of rows) tally.set(routeName(row.account_id, row.route_key), (tally.get(routeName(row.account_id, row.route_key)) ?? 0) + 1)
  return { claimed, counts: wants.map((want) => tally.get(routeName(want.accountId, want.routeKey)) ?? 0) }
}

const routeName = (accountId: string, routeKey: string): string => `${accountId}/${routeKey}`

/** In one batch each want is for another route of another account, so the route tells the device. */
function devicesOf(rows: readonly ClaimRow[], wants: readonly Want[]): string[] {
  const devices = new Map(wants.map((want) => [routeName(want.accountId, want.routeKey), want.deviceId]))
  return rows.map((row) => devices.get(routeName(row.account_id, row.route_key)) as string)
}

async function writeAttempts(tx: Tx, claimed: readonly Claimed[], nowMs: number, fence: number): Promise<void> {
  const leaving = new Map<string, { account_id: string; mode: Mode; route_key: string; messages: number; parts: number }>()
  for (const { message, route_key } of claimed) {
    const name = routeName(message.account_id, route_key)
    const sum = leaving.get(name) ?? { account_id: message.account_id, mode: message.mode, route_key, messages: 0, parts: 0 }
    leaving.set(name, { ...sum, messages: sum.messages - 1, parts: sum.parts - message.parts })
  }
  await Promise.all([
    insertRows(
      tx,
      'attempts',
      claimed.map(({ message, attemptNumber, attemptId, deviceId }) => ({
        account_id: message.account_id,
        mode: message.mode,
        message_id: message.id,
        number: attemptNumber,
        id: attemptId,
        device_id: deviceId,
        fence,
        state: 'handing_over' as const,
        started_at: nowMs,
      })),
    ),
    updateRows(tx, 'queue', queueKey, claimed.map((claim) => ({ ...queueKeyOf(claim), claimed_by: claim.deviceId }))),
    adjustRows(tx, 'queue_totals', { key: ['account_id', 'mode', 'route_key'], amounts: ['messages', 'parts'] }, [...leaving.values()]),
  ])
}

export const queueKey = ['route_key', 'account_id', 'priority', 'due_at', 'message_id'] as const

/** The primary key of the queue row of a message. */
export const queueKeyOf = (place: QueuePlace & { message: MessageState }) => ({
  route_key: place.route_key,
  account_id: place.message.account_id,
  priority: place.priority,
  due_at: place.due_at,
  message_id: place.message.id,
})

/** The route that a message waits on. */
export const routeOf = (message: MessageState): string => routeKeyOf(message.mode, message.sender)
