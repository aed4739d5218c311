import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { AttemptTable, Flag, MessageTable, Mode } from '../../storage/tables/schema.ts'

/** An attempt without an outcome. While a message has one it is `sending`, and is in no queue; it never has two. */
export type OpenAttempt = Pick<
  Selectable<AttemptTable>,
  'account_id' | 'mode' | 'message_id' | 'number' | 'id' | 'device_id' | 'started_at' | 'plan_counts'
> & { restore_hold: Flag }

/** The columns of an attempt with its place in the queue, which it has while it is open. */
export const placedColumns = [
  'account_id', 'mode', 'message_id', 'number', 'id', 'device_id', 'state', 'started_at', 'route_key', 'due_at', 'refusals', 'restore_hold',
] as const satisfies readonly (keyof AttemptTable)[] // prettier-ignore
export type PlacedAttempt = Pick<Selectable<AttemptTable>, (typeof placedColumns)[number]>

/** What an open attempt changes of its message. */
type InFlight = Pick<
  Selectable<MessageTable>,
  'status' | 'device_id' | 'attempts' | 'sequence' | 'updated_at'
>

interface Key {
  account_id: string
  mode: Mode
  id: string
}

const openOf = {
  sql: `select account_id, mode, message_id, number, id, device_id, started_at, restore_hold, plan_counts from attempts
        where account_id = :account and mode = :mode and message_id = :message and ended_at is null`,
  inputs: ['account', 'mode', 'message'],
} as const

/** Reads the open attempts of messages, by the ID of the message. */
async function readOpenAttempts(
  db: Db | Tx,
  keys: readonly Key[],
): Promise<ReadonlyMap<string, OpenAttempt>> {
  const rows = await selectEach<OpenAttempt & Record<string, string | number | null>>(
    db,
    openOf,
    keys.map(({ account_id, mode, id }) => [account_id, mode, id]),
  )
  return new Map(rows.map((row) => [row.message_id, row]))
}

/**
 * Turns stored messages into what they are: one with an open attempt is `sending`. `messages` says `queued` of it, so that
 * a claim writes no message. Changes the given rows, and returns them.
 */
export async function withOpenAttempts<M extends Key & InFlight>(db: Db | Tx, messages: M[]): Promise<M[]> {
  const queued = messages.filter(({ status }) => status === 'queued')
  if (queued.length === 0) return messages
  return markSending(messages, await readOpenAttempts(db, queued))
}

/** Does the same with attempts that were read. */
export function markSending<M extends Key & InFlight>(
  messages: M[],
  open: ReadonlyMap<string, Pick<OpenAttempt, 'device_id' | 'number' | 'started_at'>>,
): M[] {
  for (const message of messages) {
    const attempt = message.status === 'queued' ? open.get(message.id) : undefined
    if (attempt === undefined) continue
    message.status = 'sending'
    message.device_id = attempt.device_id
    message.attempts = attempt.number
    message.sequence += 1
    message.updated_at = Math.max(message.updated_at, attempt.started_at)
  }
  return messages
}

/** Returns how a message is stored: the reverse of `markSending`. What is stored is older than its `updated_at`. */
export const storedForm = <M extends InFlight>(message: M): M =>
  message.status === 'sending'
    ? { ...message, status: 'queued', device_id: null, attempts: message.attempts - 1, sequence: message.sequence - 1, updated_at: 0 } // prettier-ignore
    : message

/** As a condition on rows of `messages`, under the name `alias`. */
export const hasOpenAttempt = (alias: string): string =>
  `exists (select 1 from attempts o where o.account_id = ${alias}.account_id and o.mode = ${alias}.mode and o.message_id = ${alias}.id and o.ended_at is null)`
