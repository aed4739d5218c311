import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { DeferredRow } from './deferred.ts'
import { type MessageState, stateColumnsOf } from '../core/message-store.ts'

/** A message that waits for an instant, and what it is counted under. */
export type DeferredMessage = MessageState & Pick<DeferredRow, 'reason'>

const deferredWhere = (condition: string) => ({
  sql: `select ${stateColumnsOf('m')}, d.reason
        from deferred d cross join messages m on m.account_id = d.account_id and m.mode = d.mode and m.id = d.message_id
        where ${condition} limit :most`,
  inputs: ['account', 'most'],
})
const ofAccount = deferredWhere('d.account_id = :account')
const held = deferredWhere('d.restore_hold = 1 and :account is null')

/** Reads messages that wait for an instant: those of an account, or all that a restore holds; at most `most`. */
export const readDeferredToEnd = (
  tx: Tx,
  scope: { accountId: string } | 'restore_hold',
  most: number,
): Promise<DeferredMessage[]> =>
  scope === 'restore_hold'
    ? selectEach(tx, held, [[null, most]])
    : selectEach(tx, ofAccount, [[scope.accountId, most]])
