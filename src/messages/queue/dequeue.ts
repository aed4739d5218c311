import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { adjustRows, deleteRows, selectEach } from '../../storage/seam/sets.ts'
import { endDeferral, readDeferred } from './deferred.ts'
import { type MessageState, priorityOf } from '../core/message-store.ts'
import { queueKey, routeOf, routesAvoiding } from './queue-position.ts'

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
export async function dequeue(tx: Tx, places: readonly WaitingPlace[]): Promise<void> {
  await allDone([deleteRows(tx, 'queue', queueKey, places), lowerTotals(tx, places)])
}

/** Counts these rows of the queue as waiting no more. */
export async function lowerTotals(
  tx: Tx,
  places: readonly Pick<WaitingPlace, 'account_id' | 'mode' | 'route_key' | 'parts'>[],
): Promise<void> {
  const leaving = new Map<
    string,
    Pick<WaitingPlace, 'account_id' | 'mode' | 'route_key' | 'parts'> & { messages: number }
  >()
  for (const { account_id, mode, route_key, parts } of places) {
    const name = `${account_id}/${route_key}`
    const sum = leaving.get(name) ?? { account_id, mode, route_key, messages: 0, parts: 0 }
    leaving.set(name, { ...sum, messages: sum.messages - 1, parts: sum.parts - parts })
  }
  await adjustRows(
    tx,
    'queue_totals',
    { key: ['account_id', 'mode', 'route_key'], amounts: ['messages', 'parts'] },
    [...leaving.values()],
  )
}

/**
 * Drops unclaimed rows whose message does not wait, and gives the others. There should be none; one that stood would fail every claim that
 * finds it, of all accounts of that round.
 */
export async function dropStale<R extends MessageState & Omit<WaitingPlace, 'message_id'>>(
  tx: Tx,
  rows: readonly R[],
): Promise<readonly R[]> {
  const stale = rows.filter((row) => row.status !== 'queued')
  if (stale.length === 0) return rows
  await dequeue(
    tx,
    stale.map((row) => ({ ...row, message_id: row.id })),
  )
  return rows.filter((row) => row.status === 'queued')
}

const placeOf = {
  sql: `select account_id, mode, route_key, priority, due_at, message_id, parts from queue
        where route_key = :route and account_id = :account and priority = :priority and message_id = :message and claimed_by is null`,
  inputs: ['route', 'account', 'priority', 'message'],
} as const

/** The same for messages that waited when their state was read, in the queue or for an instant, and are done with now. */
export async function letGoOfWaiting(tx: Tx, messages: readonly MessageState[]): Promise<void> {
  const deferred = await readDeferred(tx, messages)
  await endDeferral(tx, deferred)
  const found = new Set(deferred.map((row) => nameOf({ ...row, id: row.message_id })))
  // The queue knows its rows by their due time first: one that is not there would be looked for on the whole of its route.
  const inQueue = messages.filter((message) => message.status === 'queued' && !found.has(nameOf(message)))
  const places = await readPlaces(
    tx,
    inQueue.map((message) => ({ message, routeKey: routeOf(message) })),
  )
  const atHome = new Set(places.map(({ message_id }) => message_id))
  // One that a device has refused, and another is to have.
  const elsewhere = inQueue.filter(({ id }) => !atHome.has(id))
  if (elsewhere.length > 0) places.push(...(await readPlaces(tx, await routesAvoiding(tx, elsewhere))))
  await dequeue(tx, places)
}

const readPlaces = (
  tx: Tx,
  routed: readonly { message: MessageState; routeKey: string }[],
): Promise<WaitingPlace[]> =>
  selectEach<WaitingPlace>(
    tx,
    placeOf,
    routed.map(({ message, routeKey }) => [
      routeKey,
      message.account_id,
      priorityOf(message.category),
      message.id,
    ]),
  )

const nameOf = ({ account_id, mode, id }: Pick<MessageState, 'account_id' | 'mode' | 'id'>): string =>
  `${account_id}/${mode}/${id}`
