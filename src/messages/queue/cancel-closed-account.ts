import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { advanceMessages } from '../core/advance-messages.ts'
import type { Change } from '../core/change-number.ts'
import type { MessageState } from '../core/message-store.ts'

const closedAccount = {
  sql: "select id from accounts where id = :account and state = 'closed'",
  inputs: ['account'],
} as const

/**
 * Cancels messages that were just requeued for an account that was closed while they were in flight: they
 * would never be claimed. Returns their new states by ID.
 */
export async function cancelClosedAccount(
  tx: Tx,
  unit: Change,
  waiting: readonly MessageState[],
): Promise<ReadonlyMap<string, MessageState>> {
  // The usual case: few batches requeue anything.
  if (waiting.length === 0) return new Map()
  const accounts = [...new Set(waiting.map((message) => message.account_id))]
  const rows = await selectEach<{ id: string }>(
    tx,
    closedAccount,
    accounts.map((id) => [id]),
  )
  const closed = new Set(rows.map(({ id }) => id))
  const states = await advanceMessages(
    tx,
    unit,
    waiting
      .filter((message) => closed.has(message.account_id))
      .map((message) => ({
        message,
        trigger: 'canceled',
        atMs: unit.nowMs,
        error: { code: 'account_closed', networkCode: null },
      })),
  )
  return new Map(states.flatMap((state) => (state === null ? [] : [[state.id, state]])))
}
