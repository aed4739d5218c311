import type { Selectable } from 'kysely'
import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { everyColumn } from '../../storage/tables/every-column.ts'
import type { DeferredTable } from '../../storage/tables/message-tables.ts'
import { addToRows, adjustRows, deleteRows, insertRows, selectEach } from '../../storage/seam/sets.ts'
import { type MessageState, stateColumnsOf } from '../core/message-store.ts'

export type DeferredRow = Selectable<DeferredTable>
/** The values of a message that begins to wait for an instant. */
type NewDeferred = Omit<DeferredRow, 'refusals' | 'restore_hold'> & { refusals?: number }

/** The key of a waiting message, and what it is counted under. */
export type DeferredPlace = Pick<DeferredRow, 'account_id' | 'mode' | 'message_id' | 'reason' | 'parts'>

const totalShape = { key: ['account_id', 'mode', 'reason'], amounts: ['messages', 'parts'] } as const
export const deferredKey = ['account_id', 'mode', 'message_id'] as const

/**
 * Lets messages wait for an instant outside of the queue, and counts them. All rows must have the members of
 * the first one.
 */
export async function defer(tx: Tx, rows: readonly NewDeferred[]): Promise<void> {
  if (rows.length === 0) return
  await allDone([
    insertRows(tx, 'deferred', rows),
    addToRows(tx, 'deferred_totals', totalShape, sumsOf(rows, 1)),
  ])
}

/** Removes waiting messages and their counts: they join the queue, or are final. */
export async function endDeferral(tx: Tx, rows: readonly DeferredPlace[]): Promise<void> {
  if (rows.length === 0) return
  await allDone([
    deleteRows(tx, 'deferred', deferredKey, rows),
    adjustRows(tx, 'deferred_totals', totalShape, sumsOf(rows, -1)),
  ])
}

const sumsOf = (rows: readonly Omit<DeferredPlace, 'message_id'>[], sign: 1 | -1) =>
  [...Map.groupBy(rows, ({ account_id, mode, reason }) => `${account_id}/${mode}/${reason}`).values()].map(
    (alike) => {
      const { account_id, mode, reason } = alike[0] as DeferredPlace
      const parts = alike.reduce((sum, row) => sum + row.parts, 0)
      return { account_id, mode, reason, messages: sign * alike.length, parts: sign * parts }
    },
  )

const deferredColumns = everyColumn<DeferredTable>({
  account_id: true, mode: true, message_id: true, reason: true, wake_at: true, route_key: true,
  priority: true, parts: true, expires_at: true, refusals: true, restore_hold: true,
}) // prettier-ignore

const deferredOf = {
  sql: `select ${deferredColumns.join(', ')} from deferred where account_id = :account and mode = :mode and message_id = :message`,
  inputs: ['account', 'mode', 'message'],
} as const

/** Returns those of these messages that wait for an instant. */
export const readDeferred = (
  tx: Tx,
  messages: readonly Pick<MessageState, 'account_id' | 'mode' | 'id'>[],
): Promise<DeferredRow[]> =>
  selectEach<DeferredRow>(
    tx,
    deferredOf,
    messages.map(({ account_id, mode, id }) => [account_id, mode, id]),
  )

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
