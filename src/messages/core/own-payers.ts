import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { MessageState } from './message-store.ts'
import { queueMove, type QueueMove, type ResentAttempts } from './queue-move.ts'
import { chargeOf, type Move, type Trigger } from './state.ts'

interface Settled {
  message: MessageState
  trigger: Trigger | Move
  attemptNumber?: number
  partsTaken?: number
}

/** An own device submitted the attempt that is charged: the named one, or else the first that took `taken` parts. */
const carriedByOwn = {
  sql: `select :turn as turn from attempts a
        where a.account_id = :account and a.mode = :mode and a.message_id = :message and a.is_own = 1 and a.number = coalesce(:attempt, (
          select b.number from attempts b where b.account_id = :account and b.mode = :mode and b.message_id = :message
            and b.parts_sent >= :taken order by b.number limit 1))`,
  inputs: ['account', 'mode', 'message', 'attempt', 'taken', 'turn'],
  numbers: ['attempt'],
} as const

/**
 * Returns which of these advances are about a message that shared devices may carry as well, but an own device of
 * the account carried: it pays, and the hold of the balance is released whole. Reads only messages with a fallback
 * of which something is charged now.
 */
export async function readOwnPayers<A extends Settled>(
  tx: Tx,
  advances: readonly A[],
  resent: ResentAttempts,
): Promise<ReadonlySet<A>> {
  const asked = advances.flatMap((advance) => {
    const by = chargedBy(advance, resent)
    return by === null ? [] : [{ advance, ...by }]
  })
  const rows = await selectEach<{ turn: number }>(
    tx,
    carriedByOwn,
    asked.map(({ advance: { message }, attempt }, turn) => [
      message.account_id,
      message.mode,
      message.id,
      attempt,
      message.parts_sent,
      turn,
    ]),
  )
  return new Set(rows.map(({ turn }) => (asked[turn] as (typeof asked)[number]).advance))
}

/**
 * Returns the attempt that an advance charges (verdict-facts.ts): null within it for the first one that took the parts.
 * Returns null where nothing is charged, or only one purse could be.
 */
function chargedBy(
  { message, trigger, attemptNumber, partsTaken = 0 }: Settled,
  resent: ResentAttempts,
): { attempt: number | null } | null {
  if (message.fallback === null || message.cost_state !== 'held') return null
  const found: QueueMove | null =
    typeof trigger === 'string' ? queueMove(message, trigger, { error: null, resent }) : { move: trigger }
  if (found === null || found.move.charge === 'keep') return null
  const taken = Math.min(message.parts, Math.max(message.parts_sent, partsTaken, found.partsTaken ?? 0))
  if (chargeOf(found.move.charge, message.held, taken) === 0) return null
  return { attempt: found.attemptNumber ?? attemptNumber ?? null }
}
