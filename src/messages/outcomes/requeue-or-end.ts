import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { addToRows, insertRows } from '../../storage/seam/sets.ts'
import type { Change } from '../core/change-number.ts'
import type { MessageState } from '../core/message-store.ts'
import type { OpenAttempt } from '../core/open-attempt.ts'
import { priorityOf } from '../core/route-key.ts'
import { cancelClosedAccount } from '../queue/cancel-closed-account.ts'
import { dequeueFinal } from '../queue/dequeue.ts'
import { queueTotalShape } from '../queue/queue-totals.ts'
import type { Moved } from './move-by-evidence.ts'
import type { Raised } from './raise-attempt.ts'
import type { Settlement } from './settlement.ts'

/**
 * Updates the queue after attempts have ended: messages that wait again come back at a later time, and those that an
 * earlier attempt turns out to have sent wait no more (P6). Returns the states of messages
 * that were canceled because their account was closed meanwhile.
 */
export async function requeueOrEnd(
  tx: Tx,
  unit: Change,
  raised: readonly Raised[],
  {
    messages,
    open,
    moved,
  }: {
    messages: ReadonlyMap<string, MessageState>
    open: ReadonlyMap<string, OpenAttempt>
    moved: ReadonlyMap<string, Moved | undefined>
  },
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
  const sentAfterAll = [...messages.values()].filter(
    ({ id, status }) =>
      (status === 'queued' || status === 'scheduled') && (moved.get(id)?.state ?? null) !== null,
  )
  await requeue(
    tx,
    back.filter(({ messageId }) => !canceled.has(messageId)),
    { stateOf, open },
  )
  if (sentAfterAll.length > 0) await dequeueFinal(tx, sentAfterAll)
  return canceled
}

/** What a restore holds stays held until the operator has decided (P14). */
async function requeue(
  tx: Tx,
  back: readonly Settlement[],
  {
    stateOf,
    open,
  }: {
    stateOf: (settlement: Settlement) => MessageState | null
    open: ReadonlyMap<string, OpenAttempt>
  },
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
        restore_hold: open.get(message.id)?.restore_hold ?? (0 as const),
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
