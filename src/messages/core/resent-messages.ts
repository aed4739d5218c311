import type { Tx } from '../../storage/seam/dialect.ts'
import type { AttemptEvidence, Reason } from './attempt-evidence.ts'
import { evidenceOf, readAttempts } from './evidence-store.ts'
import type { MessageState } from './message-store.ts'
import { type Move, moveOf, type Trigger } from './state.ts'
import { type QueueEnd, verdictOf } from './verdict.ts'

interface Ending {
  message: MessageState
  trigger: Trigger | Move
}

/** The attempts of messages that were sent again after an unknown outcome (`resend_once`), by message. */
export type ResentEvidence = ReadonlyMap<string, readonly AttemptEvidence[]>

/** Reads the evidence about those of these messages that the queue moves, and that were sent again. Others need none. */
export async function readResent(tx: Tx, endings: readonly Ending[]): Promise<ResentEvidence> {
  const resent = endings.filter(
    ({ message, trigger }) => typeof trigger === 'string' && message.possible_duplicate === 1,
  )
  if (resent.length === 0) return new Map()
  const stored = await readAttempts(
    tx,
    resent.map(({ message }) => ({
      accountId: message.account_id,
      mode: message.mode,
      messageId: message.id,
    })),
  )
  return new Map([...stored].map(([id, attempts]) => [id, attempts.map((attempt) => evidenceOf(attempt))]))
}

export interface QueueMove {
  move: Move
  error: Reason | null | undefined
  /** The attempt that is charged, if all parts are. */
  attemptNumber?: number
}

/**
 * Returns the move of a trigger, and the error that goes with it; null if the trigger is refused. A message that was sent
 * again ends by all that is known of its attempts: while the outcome of one is unknown it is `unconfirmed`.
 */
export function queueMove(
  message: MessageState,
  trigger: Trigger,
  { error, resent }: { error: Reason | null | undefined; resent: ResentEvidence },
): QueueMove | null {
  const plain = moveOf(message.status, trigger)
  if (plain === null) return null
  const evidence = resent.get(message.id)
  if (evidence === undefined || plain.to === 'queued') return { move: plain, error }
  const end = { status: plain.to as QueueEnd['status'], reason: error ?? null }
  const { status, charge, reason, attempt } = verdictOf({ waits: null, end }, evidence)
  const isWhole = charge === 'all' && attempt !== null
  return { move: { to: status, charge }, error: reason, ...(isWhole && { attemptNumber: attempt.number }) }
}
