import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Claimed } from '../queue/claim-messages.ts'
import { type MessageState, readStates } from '../core/message-store.ts'
import { type PlacedAttempt, placedColumns } from '../core/open-attempt.ts'
import { priorityOf } from '../core/route-key.ts'
import { routeOf } from '../queue/queue-position.ts'

/** Of an orphaned attempt whose process kept a log, `logged_by` is the fence of that process. */
export type AttemptRow = PlacedAttempt & { logged_by?: number | null }

/** An open claim of a live process. */
export type OpenClaim = Claimed & {
  /** A restore holds its message: it is not sent again until the operator has decided (P14). */
  isHeld: boolean
}

/**
 * Reads attempts that dead nodes left open, as claims to settle: those of other fences, except for live nodes
 * and those in `spared`. This is exact inside a unit, because a node that was declared dead claims nothing.
 * Texts are omitted: nothing is submitted again, and nothing that a restore holds is sent again (P14). Offers
 * to phones are omitted until a restore closes them, because phones report to any node that serves them.
 * Returns at most `most`; `only` names one.
 */
export async function readOrphans(
  db: Db | Tx,
  {
    fence,
    spared = [],
    most,
    only,
  }: { fence: number; spared?: readonly number[]; most: number; only?: string | undefined },
): Promise<Claimed[]> {
  const attempts: AttemptRow[] = await openAttempts(db)
    .where(({ or, and, eb, not, exists, selectFrom }) =>
      or([
        and([
          eb('fence', 'not in', [fence, ...spared]),
          not(
            exists(
              selectFrom('nodes')
                .select('nodes.epoch')
                .whereRef('nodes.epoch', '=', 'attempts.fence')
                .where('nodes.left_at', 'is', null),
            ),
          ),
        ]),
        exists(selectFrom('phone_offers').select('attempt_id').whereRef('attempt_id', '=', 'attempts.id')),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('phone_offers')
            .select('attempt_id')
            .whereRef('attempt_id', '=', 'attempts.id')
            .where('closed_at', 'is', null),
        ),
      ),
    )
    .$if(only !== undefined, (one) => one.where('id', '=', only as string))
    .limit(most)
    .execute()
  return claimsOf(db, attempts)
}

/**
 * Reads the attempts that a live process has in flight on links, by its fence. The process knows all of them,
 * except for claims whose commit was not confirmed. This is exact inside a unit, and while the process claims
 * nothing. Offers to phones are omitted: phones report to any node.
 */
export async function readOpenOf(db: Db | Tx, fence: number): Promise<OpenClaim[]> {
  const attempts = await openAttempts(db)
    .where('fence', '=', fence)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('phone_offers').select('attempt_id').whereRef('attempt_id', '=', 'attempts.id'))),
    )
    .execute()
  const held = new Set(attempts.filter(({ restore_hold }) => restore_hold === 1).map(({ id }) => id))
  const claims = await claimsOf(db, attempts)
  return claims.map((claim) => ({ ...claim, isHeld: held.has(claim.attemptId) }))
}

const openAttempts = (db: Db | Tx) =>
  db
    .selectFrom('attempts')
    .select(placedColumns)
    .select((eb) =>
      eb.case().when('is_logged', '=', 1).then(eb.ref('fence')).else(null).end().as('logged_by'),
    )
    .where('ended_at', 'is', null)

/** Returns the claims of attempts in any state; those without a message are omitted. */
export async function claimsOf(db: Db | Tx, attempts: readonly AttemptRow[]): Promise<Claimed[]> {
  const states = await readStates(
    db,
    attempts.map((row) => ({ accountId: row.account_id, mode: row.mode, messageId: row.message_id })),
  )
  const byId = new Map(states.map((state) => [state.id, state]))
  return attempts.flatMap((attempt) => {
    const message = byId.get(attempt.message_id)
    return message === undefined ? [] : [claimOf(attempt, message)]
  })
}

/** An attempt that has ended has no place in the queue, and is not sent again. */
function claimOf(attempt: AttemptRow, message: MessageState): Claimed {
  // Without a place in the queue it was not open when it was claimed: a database that was put together.
  const isFree = attempt.state === 'handing_over' && attempt.route_key !== null && attempt.restore_hold === 0
  return {
    accountId: attempt.account_id,
    mode: attempt.mode,
    messageId: attempt.message_id,
    attemptId: attempt.id,
    attemptNumber: attempt.number,
    startedAt: attempt.started_at,
    deviceId: attempt.device_id,
    to: message.recipient,
    from: message.sender,
    text: '',
    encoding: 'gsm7',
    parts: message.parts,
    category: message.category,
    expiresAt: message.expires_at ?? 0,
    onUnknown: isFree ? message.on_unknown : 'stop',
    possibleDuplicate: message.possible_duplicate === 1,
    ...(typeof attempt.logged_by === 'number' && isFree ? { loggedBy: attempt.logged_by } : {}),
    position: {
      route_key: attempt.route_key ?? routeOf(message),
      priority: priorityOf(message.category),
      due_at: attempt.due_at ?? 0,
      refusals: attempt.refusals ?? 0,
    },
  }
}
