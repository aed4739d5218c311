import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { PlanRooms } from './plan-rooms.ts'

/**
 * How many messages of a route and priority are looked at for numbers that a SIM knows: 3,000 take 15 ms of the thread of the
 * database, at most once a second for a device that is at its limit and finds none.
 */
const maxLooked = 1_000
/** A device that found none among this many rests: half a millisecond for each claim would add up. */
const manyLooked = 100

/** The part of a `ClaimRequest` that says what is read for it. */
export interface ReadRequest {
  accountId: string
  routeKey: string
  deviceId: string
  quota: number
  partsOver: number
  partsUpTo: number
  leaseToken?: number
  /** Only messages that have been due for so long. */
  waitedMs?: number
  phone?: { sims: readonly { sim: number | null }[] }
}

/** The place of a message in the queue. */
export interface QueuedPlace {
  priority: number
  due_at: number
  message_id: string
}

type LookedRow = QueuedPlace & { recipient: string; parts: number }

/** All priorities of a queue, in the order of claims (`priorityOf`). */
export const priorities = [0, 1, 2]

/** Until when the messages of a request must have been due. */
export const dueBefore = ({ dueMs }: { dueMs: number }, { waitedMs = 0 }: ReadRequest): number =>
  dueMs - waitedMs

/**
 * In the order of claims, and no more of a priority than `maxLooked` rows, of which none has a text. One statement for all
 * priorities would read every message that has not waited as long as a request wants.
 */
const firstOfRoute = {
  sql: `select q.priority, q.due_at, q.message_id, q.parts, m.recipient
        from queue q cross join messages m on m.account_id = q.account_id and m.mode = q.mode and m.id = q.message_id
        where q.route_key = :route and q.account_id = :account and q.priority = :priority and q.due_at <= :due and q.expires_at > :now
          and q.restore_hold = 0 and q.parts > :over and q.parts <= :most
        order by q.priority, q.due_at, q.message_id limit ${maxLooked}`,
  inputs: ['route', 'account', 'due', 'now', 'over', 'most', 'priority'],
} as const

/**
 * Finds the next messages that a device may send although its SIMs are at their limit of numbers: those to numbers that
 * they have sent to this month. The others would hide them from a claim that reads the first few of the route.
 */
export async function findKnown(
  tx: Tx,
  rooms: PlanRooms,
  request: ReadRequest,
  input: { dueMs: number; nowMs: number },
): Promise<QueuedPlace[]> {
  const { routeKey, accountId, partsOver, partsUpTo, deviceId, phone, quota } = request
  await rooms.learnMonth(tx, deviceId)
  const asked = [routeKey, accountId, dueBefore(input, request), input.nowMs, partsOver, partsUpTo]
  const rows = await selectEach<LookedRow & Record<string, string | number | null>>(
    tx,
    firstOfRoute,
    priorities.map((priority) => [...asked, priority]),
  )
  const sims = phone === undefined ? [null] : phone.sims.map(({ sim }) => sim)
  const found = rows.filter((row) => sims.some((sim) => rooms.allows(deviceId, sim, row) !== null))
  if (found.length === 0 && rows.length >= manyLooked) rooms.inVain.add(deviceId)
  return found.slice(0, quota)
}
