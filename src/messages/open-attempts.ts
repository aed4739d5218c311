import type { Db, Tx } from '../storage/dialect.ts'
import type { Flag, Mode } from '../storage/schema.ts'
import { selectEach } from '../storage/sets.ts'
import { type Claimed, type QueuePlace, routeOf } from './claim-messages.ts'
import { type MessageState, readStates } from './message-store.ts'

export interface AttemptRow {
  account_id: string
  mode: Mode
  message_id: string
  number: number
  id: string
  device_id: string
}

type OrphanPlace = QueuePlace & { message_id: string; restore_hold: Flag }

const placeOf = {
  sql: `select message_id, route_key, priority, due_at, refusals, restore_hold from queue
        where route_key = :route and account_id = :account and message_id = :message`,
  inputs: ['route', 'account', 'message'],
} as const

/**
 * Attempts that a process with an older fencing token left open, as claims that can be settled. Their texts are not read: nothing
 * is handed over again. Of what a restore holds back nothing may go again, whatever its caller had chosen (P14). What phones hold is not
 * among them: they go on whoever serves them. At most `most`.
 */
export async function readOrphans(db: Db, fence: number, most: number): Promise<Claimed[]> {
  const attempts: AttemptRow[] = await db
    .selectFrom('attempts')
    .select(['account_id', 'mode', 'message_id', 'number', 'id', 'device_id'])
    .where('ended_at', 'is', null)
    .where('fence', '<', fence)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('phone_offers').select('attempt_id').whereRef('attempt_id', '=', 'attempts.id'))),
    )
    .limit(most)
    .execute()
  return claimsOf(db, attempts)
}

/** The claims of attempts, wherever they stand; what is gone is left out. */
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
  const places = await selectEach<OrphanPlace>(
    db, placeOf, found.map(({ message }) => [routeOf(message), message.account_id, message.id]),
  ) // prettier-ignore
  const placeById = new Map(places.map((place) => [place.message_id, place]))
  return found.map(({ attempt, message }) => claimOf(attempt, message, placeById.get(message.id)))
}

function claimOf(attempt: AttemptRow, message: MessageState, place: OrphanPlace | undefined): Claimed {
  return {
    accountId: attempt.account_id,
    mode: attempt.mode,
    messageId: attempt.message_id,
    attemptId: attempt.id,
    attemptNumber: attempt.number,
    deviceId: attempt.device_id,
    to: message.recipient,
    from: message.sender,
    text: '',
    encoding: 'gsm7',
    parts: message.parts,
    category: message.category,
    expiresAt: message.expires_at ?? 0,
    onUnknown: place?.restore_hold === 0 ? message.on_unknown : 'stop',
    possibleDuplicate: message.possible_duplicate === 1,
    place: place ?? { route_key: routeOf(message), priority: 0, due_at: 0, refusals: 0 },
  }
}
