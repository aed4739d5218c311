import type { Tx } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import { adjustRows, deleteRows, selectEach } from '../storage/sets.ts'
import { queueKey, routeOf } from './claim-messages.ts'
import { type MessageState, priorityOf } from './message-store.ts'

/** A queue row that nobody has claimed. */
export interface WaitingPlace {
  account_id: string
  mode: Mode
  route_key: string
  priority: number
  due_at: number
  message_id: string
  parts: number
}

/** Takes what waits out of the queue and its counters. */
export async function leaveQueue(tx: Tx, places: readonly WaitingPlace[]): Promise<void> {
  const leaving = new Map<
    string,
    Omit<WaitingPlace, 'priority' | 'due_at' | 'message_id'> & { messages: number }
  >()
  for (const { account_id, mode, route_key, parts } of places) {
    const name = `${account_id}/${route_key}`
    const sum = leaving.get(name) ?? { account_id, mode, route_key, messages: 0, parts: 0 }
    leaving.set(name, { ...sum, messages: sum.messages - 1, parts: sum.parts - parts })
  }
  await Promise.all([
    deleteRows(tx, 'queue', queueKey, places),
    adjustRows(
      tx,
      'queue_totals',
      { key: ['account_id', 'mode', 'route_key'], amounts: ['messages', 'parts'] },
      [...leaving.values()],
    ),
  ])
}

const placeOf = {
  sql: `select account_id, mode, route_key, priority, due_at, message_id, parts from queue
        where route_key = :route and account_id = :account and priority = :priority and message_id = :message and claimed_by is null`,
  inputs: ['route', 'account', 'priority', 'message'],
} as const

/** The same for messages that were `queued` when their state was read and are done with now. */
export async function letGoOfQueued(tx: Tx, messages: readonly MessageState[]): Promise<void> {
  const places = await selectEach<WaitingPlace>(
    tx,
    placeOf,
    messages.map((message) => [
      routeOf(message),
      message.account_id,
      priorityOf(message.category),
      message.id,
    ]),
  )
  await leaveQueue(tx, places)
}
