import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { deleteRows, insertRows } from '../../storage/seam/sets.ts'
import type { MessageKey } from '../core/message-store.ts'
import { lowerTotals } from './dequeue.ts'
import { queueKey, queueKeyOf, type QueuePosition } from './queue-position.ts'

/** A message that a device is given, by a new attempt. */
interface Given extends MessageKey {
  attemptId: string
  attemptNumber: number
  startedAt: number
  deviceId: string
  parts: number
  position: QueuePosition
  /** Fence of the process whose submission log records whether it was submitted. Omitted if no log does. */
  loggedBy?: number
  /** Why the device gets it; omitted for one of the first stage. */
  why?: string
  /** The SIM plans that count it. */
  planCounts?: string
}

/** Takes the messages out of the queue: their attempts keep the places to which they may go back. */
export async function takeFromQueue(
  tx: Tx,
  claimed: readonly Given[],
  {
    fence,
    leaseOf,
    own,
  }: {
    fence: number
    leaseOf: ReadonlyMap<string, number | null>
    own: ReadonlySet<string>
  },
): Promise<void> {
  await allDone([
    insertRows(
      tx,
      'attempts',
      claimed.map((claim) => ({
        account_id: claim.accountId,
        mode: claim.mode,
        message_id: claim.messageId,
        number: claim.attemptNumber,
        id: claim.attemptId,
        device_id: claim.deviceId,
        fence,
        lease_token: leaseOf.get(claim.deviceId) ?? null,
        is_logged: claim.loggedBy === undefined ? (0 as const) : (1 as const),
        is_own: own.has(claim.deviceId) ? (1 as const) : (0 as const),
        state: 'handing_over' as const,
        started_at: claim.startedAt,
        route_key: claim.position.route_key,
        due_at: claim.position.due_at,
        refusals: claim.position.refusals,
        why: claim.why ?? null,
        plan_counts: claim.planCounts ?? null,
      })),
    ),
    deleteRows(tx, 'queue', queueKey, claimed.map(queueKeyOf)),
    lowerTotals(
      tx,
      claimed.map(({ accountId, mode, parts, position }) => ({
        account_id: accountId,
        mode,
        route_key: position.route_key,
        parts,
      })),
    ),
  ])
}
