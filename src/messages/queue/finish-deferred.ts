import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { advanceMessages } from '../core/advance-messages.ts'
import { type DeferredRow, endDeferral } from './deferred.ts'
import { type MessageState, stateColumnsOf } from '../core/message-store.ts'
import type { Trigger } from '../core/state.ts'

type Row = MessageState & Pick<DeferredRow, 'reason'>

const deferredWhere = (condition: string) => ({
  sql: `select ${stateColumnsOf('m')}, d.reason
        from deferred d cross join messages m on m.account_id = d.account_id and m.mode = d.mode and m.id = d.message_id
        where ${condition} limit :most`,
  inputs: ['account', 'most'],
})
const ofAccount = deferredWhere('d.account_id = :account')
const held = deferredWhere('d.restore_hold = 1 and :account is null')

/**
 * Finishes messages that wait for an instant: those of an account, or all that a restore holds. Returns at
 * most `most`, with their new states, and how many rows were stale because their message does not wait: there
 * should be none.
 */
export async function finishDeferred(
  tx: Tx,
  scope: { accountId: string } | 'restore_hold',
  { trigger, code, nowMs }: { trigger: Trigger; code: string; nowMs: number },
  most: number,
): Promise<{ finished: MessageState[]; stale: number }> {
  const rows =
    scope === 'restore_hold'
      ? await selectEach<Row>(tx, held, [[null, most]])
      : await selectEach<Row>(tx, ofAccount, [[scope.accountId, most]])
  const states = await advanceMessages(
    tx,
    rows.map((row) => ({ message: row, trigger, atMs: nowMs, error: { code, networkCode: null } })),
  )
  await endDeferral(
    tx,
    rows.map((row) => ({ ...row, message_id: row.id })),
  )
  const finished = states.filter((state) => state !== null)
  return { finished, stale: rows.length - finished.length }
}
