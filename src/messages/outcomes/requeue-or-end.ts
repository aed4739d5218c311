import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { addToRows, deleteRows, insertRows, selectEach } from '../../storage/seam/sets.ts'
import type { Change } from '../core/change-number.ts'
import type { MessageState } from '../core/message-store.ts'
import { priorityOf } from '../core/route-key.ts'
import { cancelClosedAccount } from '../queue/cancel-closed-account.ts'
import { dequeueFinal } from '../queue/dequeue.ts'
import { heldRow, queueKey, queueKeyOf } from '../queue/queue-position.ts'
import { queueTotalShape } from '../queue/queue-totals.ts'
import type { Moved } from './move-by-evidence.ts'
import type { Raised } from './raise-attempt.ts'
import type { Settlement } from './settlement.ts'

/**
 * Updates the queue after attempts have ended: their rows leave it, messages that wait again come back unclaimed at a
 * later time, and those that an earlier attempt turns out to have sent wait no more (P6). Returns the states of messages
 * that were canceled because their account was closed meanwhile.
 */
export async function requeueOrEnd(
  tx: Tx,
  unit: Change,
  raised: readonly Raised[],
  {
    messages,
    moved,
  }: { messages: ReadonlyMap<string, MessageState>; moved: ReadonlyMap<string, Moved | undefined> },
): Promise<ReadonlyMap<string, MessageState>> {
  const ended = raised.flatMap(({ settlement, before }) =>
    before.state === 'handing_over' ? [settlement] : [],
  )
  const stateOf = ({ messageId }: Settlement): MessageState | null => moved.get(messageId)?.state ?? null
  const back = ended.filter((each) => each.requeue !== null && stateOf(each)?.status === 'queued')
  const canceled = await cancelClosedAccount(
    tx,
    unit,
    back.map((each) => stateOf(each) as MessageState),
  )
  const held = await heldOf(tx, back)
  const sentAfterAll = [...messages.values()].filter(
    ({ id, status }) =>
      (status === 'queued' || status === 'scheduled') && (moved.get(id)?.state ?? null) !== null,
  )
  // Posted together and run in this order: a requeued message leaves the queue first.
  await allDone([
    deleteRows(tx, 'queue', queueKey, ended.map(queueKeyOf)),
    requeue(
      tx,
      back.filter(({ messageId }) => !canceled.has(messageId)),
      { stateOf, held },
    ),
  ])
  if (sentAfterAll.length > 0) await dequeueFinal(tx, sentAfterAll)
  return canceled
}

/** Returns the requeued messages that a restore holds: they stay held until the operator has decided (P14). */
async function heldOf(tx: Tx, back: readonly Settlement[]): Promise<ReadonlySet<string>> {
  const rows = await selectEach<{ message_id: string }>(
    tx,
    heldRow,
    back.map((settlement) => Object.values(queueKeyOf(settlement))),
  )
  return new Set(rows.map(({ message_id }) => message_id))
}

async function requeue(
  tx: Tx,
  back: readonly Settlement[],
  { stateOf, held }: { stateOf: (settlement: Settlement) => MessageState | null; held: ReadonlySet<string> },
): Promise<void> {
  const rows = back.map((settlement) => {
    const { position, requeue: again } = settlement
    return {
      message: stateOf(settlement) as MessageState,
      routeKey: again?.routeKey ?? position.route_key,
      dueAt: again?.dueAt ?? position.due_at,
      refusals: again?.refusals ?? position.refusals,
    }
  })
  await allDone([
    insertRows(
      tx,
      'queue',
      rows.map(({ message, routeKey, dueAt, refusals }) => ({
        route_key: routeKey,
        account_id: message.account_id,
        priority: priorityOf(message.category),
        due_at: dueAt,
        message_id: message.id,
        mode: message.mode,
        parts: message.parts,
        expires_at: message.expires_at as number,
        refusals,
        restore_hold: held.has(message.id) ? (1 as const) : (0 as const),
      })),
    ),
    addToRows(
      tx,
      'queue_totals',
      queueTotalShape,
      rows.map(({ message, routeKey }) => ({
        account_id: message.account_id,
        mode: message.mode,
        route_key: routeKey,
        messages: 1,
        parts: message.parts,
        next_expiry_at: message.expires_at as number,
      })),
    ),
  ])
}
