import type { Tx } from '../../storage/seam/dialect.ts'
import type { Reason } from './attempt-evidence.ts'
import { evidenceOf, readAttempts, type StoredAttempt } from './evidence-store.ts'
import type { MessageState } from './message-store.ts'
import { type Move, moveOf, type Trigger } from './state.ts'
import { type QueueEnd, verdictOf } from './verdict.ts'
import { factsOf, type VerdictFacts } from './verdict-facts.ts'

interface Ending {
  message: MessageState
  trigger: Trigger | Move
}

/** The attempts of messages that were sent again after an unknown outcome (`resend_once`), by message. */
export type ResentAttempts = ReadonlyMap<string, readonly StoredAttempt[]>

/** Reads the attempts of those of these messages that the queue moves, and that were sent again. Others need none. */
export async function readResent(tx: Tx, endings: readonly Ending[]): Promise<ResentAttempts> {
  const resent = endings.filter(
    ({ message, trigger }) => typeof trigger === 'string' && message.possible_duplicate === 1,
  )
  if (resent.length === 0) return new Map()
  return readAttempts(
    tx,
    resent.map(({ message }) => ({
      accountId: message.account_id,
      mode: message.mode,
      messageId: message.id,
    })),
  )
}

/** How the queue moves a message. `error` is omitted where the move says nothing of it. */
export type QueueMove = Partial<VerdictFacts> & { move: Move; error?: Reason | null | undefined }

/**
 * Returns the move of a trigger; null if the trigger is refused. A message that was sent again ends by all that is known of
 * its attempts: while the outcome of one is unknown it is `unconfirmed`, and what was taken of it is charged.
 */
export function queueMove(
  message: MessageState,
  trigger: Trigger,
  { error, resent }: { error: Reason | null | undefined; resent: ResentAttempts },
): QueueMove | null {
  const move = moveOf(message.status, trigger)
  if (move === null) return null
  const attempts = resent.get(message.id)
  if (attempts === undefined || move.to === 'queued') return { move, error }
  const end = { status: move.to as QueueEnd['status'], reason: error ?? null }
  const evidence = attempts.map((attempt) => evidenceOf(attempt))
  const verdict = verdictOf({ waits: null, end }, evidence)
  const { status, charge, reason } = verdict
  return { move: { to: status, charge }, error: reason, ...factsOf(verdict, message.parts, attempts) }
}
