import type { Selectable } from 'kysely'
import { allDone } from '../../runtime/all-done.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { AttemptTable, Flag } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { Claimed } from '../queue/claim-messages.ts'
import { type MessageState, readStates } from '../core/message-store.ts'
import { priorityOf } from '../core/route-key.ts'
import { heldRow, queueKeyOf, type QueuePosition, routeOf, routesAvoiding } from '../queue/queue-position.ts'

export interface AttemptRow extends Pick<
  Selectable<AttemptTable>,
  'account_id' | 'mode' | 'message_id' | 'number' | 'id' | 'device_id' | 'state' | 'started_at'
> {
  /** Of an orphaned attempt whose process kept a log: the fence of that process. */
  logged_by?: number | null
  /** The due time of its message in the queue, if known. */
  due_at?: number
}

/** An open claim of a live process. */
export type OpenClaim = Claimed & {
  /** A restore holds its message: it is not sent again until the operator has decided (P14). */
  isHeld: boolean
}

type OrphanRow = QueuePosition & { message_id: string; restore_hold: Flag }

/**
 * Reads in the order of the queue, in which claimed rows come first: the number of queued rows after them
 * does not matter. `coalesce` keeps SQLite from scanning the whole route by due time instead.
 */
const rowOf = {
  sql: `select message_id, route_key, priority, due_at, refusals, restore_hold from queue
        where route_key = :route and account_id = :account and priority = :priority and coalesce(message_id, '') = :message and claimed_by = :device
        order by due_at limit 1`,
  inputs: ['route', 'account', 'priority', 'message', 'device'],
} as const

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
  const claims = await claimsOf(db, attempts)
  const held = await selectEach<{ message_id: string }>(
    db,
    heldRow,
    claims.map((claim) => Object.values(queueKeyOf(claim))),
  )
  const heldIds = new Set(held.map(({ message_id }) => message_id))
  return claims.map((claim) => ({
    ...claim,
    isHeld: heldIds.has(claim.messageId),
  }))
}

const openAttempts = (db: Db | Tx) =>
  db
    .selectFrom('attempts')
    .select(['account_id', 'mode', 'message_id', 'number', 'id', 'device_id', 'state', 'started_at'])
    .select((eb) =>
      eb.case().when('is_logged', '=', 1).then(eb.ref('fence')).else(null).end().as('logged_by'),
    )
    .where('ended_at', 'is', null)

/** Reads the same by the primary key. */
const rowAt = {
  sql: `select message_id, route_key, priority, due_at, refusals, restore_hold from queue
        where route_key = :route and account_id = :account and priority = :priority and due_at = :due and message_id = :message`,
  inputs: ['route', 'account', 'priority', 'due', 'message'],
} as const

/** Returns the claims of attempts in any state; those without a message are omitted. */
export async function claimsOf(db: Db | Tx, attempts: readonly AttemptRow[]): Promise<Claimed[]> {
  const states = await readStates(
    db,
    attempts.map((row) => ({ accountId: row.account_id, mode: row.mode, messageId: row.message_id })),
  )
  const byId = new Map(states.map((state) => [state.id, state]))
  const found = attempts.flatMap((attempt) => {
    const message = byId.get(attempt.message_id)
    return message === undefined ? [] : [{ attempt, message }]
  })
  // A finished attempt has no queue row.
  const open = found.filter(({ attempt }) => attempt.state === 'handing_over')
  const rows = await readQueueRows(
    db,
    open.map((each) => ({ ...each, routeKey: routeOf(each.message) })),
  )
  const missing = open.filter(({ message }) => !rows.has(message.id))
  // Refused by another device before: its row is on a route that avoids that device.
  if (missing.length > 0) {
    const missed = new Map(missing.map((each) => [each.message.id, each]))
    const routed = await routesAvoiding(
      db,
      missing.map(({ message }) => message),
    )
    const away = await readQueueRows(
      db,
      routed.map(({ message, routeKey }) => ({ ...(missed.get(message.id) as Open), routeKey })),
    )
    for (const [id, row] of away) rows.set(id, row)
  }
  return found.map(({ attempt, message }) => claimOf(attempt, message, rows.get(message.id)))
}

interface Open {
  attempt: AttemptRow
  message: MessageState
}

async function readQueueRows(
  db: Db | Tx,
  open: readonly (Open & { routeKey: string })[],
): Promise<Map<string, OrphanRow>> {
  const queueOf = ({ message, routeKey }: Open & { routeKey: string }) =>
    [routeKey, message.account_id, priorityOf(message.category)] as const
  const rows = await allDone([
    selectEach<OrphanRow>(
      db,
      rowAt,
      open.flatMap((each) => {
        const { due_at } = each.attempt
        return due_at === undefined ? [] : [[...queueOf(each), due_at, each.message.id]]
      }),
    ),
    selectEach<OrphanRow>(
      db,
      rowOf,
      open.flatMap((each) => {
        const { due_at, device_id } = each.attempt
        return due_at === undefined ? [[...queueOf(each), each.message.id, device_id]] : []
      }),
    ),
  ])
  return new Map(rows.flat().map((row) => [row.message_id, row]))
}

function claimOf(attempt: AttemptRow, message: MessageState, row: OrphanRow | undefined): Claimed {
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
    onUnknown: row?.restore_hold === 0 ? message.on_unknown : 'stop',
    possibleDuplicate: message.possible_duplicate === 1,
    ...(typeof attempt.logged_by === 'number' && row?.restore_hold === 0
      ? { loggedBy: attempt.logged_by }
      : {}),
    position: row ?? { route_key: routeOf(message), priority: 0, due_at: 0, refusals: 0 },
  }
}
