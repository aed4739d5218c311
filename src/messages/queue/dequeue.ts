import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { adjustRows, deleteRows, selectEach } from '../../storage/seam/sets.ts'
import { endDeferral, readDeferred } from './deferred.ts'
import type { MessageState } from '../core/message-store.ts'
import { priorityOf } from '../core/route-key.ts'
import { queueKey, routeOf, routesAvoiding } from './queue-position.ts'

/** A row of the queue. */
export interface QueueRow {
  account_id: string
  mode: Mode
  route_key: string
  priority: number
  due_at: number
  message_id: string
  parts: number
}

/** Removes messages from the queue and its counters. */
export async function dequeue(tx: Tx, rows: readonly QueueRow[]): Promise<void> {
  await allDone([deleteRows(tx, 'queue', queueKey, rows), lowerTotals(tx, rows)])
}

/** Subtracts these queue rows from the counters of queued messages. */
export async function lowerTotals(
  tx: Tx,
  rows: readonly Pick<QueueRow, 'account_id' | 'mode' | 'route_key' | 'parts'>[],
): Promise<void> {
  const leaving = new Map<
    string,
    Pick<QueueRow, 'account_id' | 'mode' | 'route_key' | 'parts'> & { messages: number }
  >()
  for (const { account_id, mode, route_key, parts } of rows) {
    const key = `${account_id}/${route_key}`
    const sum = leaving.get(key) ?? { account_id, mode, route_key, messages: 0, parts: 0 }
    leaving.set(key, { ...sum, messages: sum.messages - 1, parts: sum.parts - parts })
  }
  await adjustRows(
    tx,
    'queue_totals',
    { key: ['account_id', 'mode', 'route_key'], amounts: ['messages', 'parts'] },
    [...leaving.values()],
  )
}

/**
 * Deletes rows whose message is not queued, and returns the others. There should be none; a stale
 * row would fail every claim that reads it, for all accounts of that round.
 */
export async function dropStale<R extends Pick<MessageState, 'id' | 'status'> & Omit<QueueRow, 'message_id'>>(
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
        where route_key = :route and account_id = :account and priority = :priority and message_id = :message`,
  inputs: ['route', 'account', 'priority', 'message'],
} as const

/**
 * Removes messages from the queue that were queued, scheduled or delayed when their state was read, and are
 * final now.
 */
export async function dequeueFinal(tx: Tx, messages: readonly MessageState[]): Promise<void> {
  const deferred = await readDeferred(tx, messages)
  await endDeferral(tx, deferred)
  const found = new Set(deferred.map((row) => keyOf({ ...row, id: row.message_id })))
  // The queue's key begins with the due time: a row that is not there would be searched for on the whole of
  // its route.
  const inQueue = messages.filter((message) => message.status === 'queued' && !found.has(keyOf(message)))
  const rows = await readQueueRows(
    tx,
    inQueue.map((message) => ({ message, routeKey: routeOf(message) })),
  )
  const onOwnRoute = new Set(rows.map(({ message_id }) => message_id))
  // Messages that a device has refused, and that another device must submit.
  const avoiding = inQueue.filter(({ id }) => !onOwnRoute.has(id))
  if (avoiding.length > 0) rows.push(...(await readQueueRows(tx, await routesAvoiding(tx, avoiding))))
  await dequeue(tx, rows)
}

const readQueueRows = (
  tx: Tx,
  routed: readonly { message: MessageState; routeKey: string }[],
): Promise<QueueRow[]> =>
  selectEach<QueueRow>(
    tx,
    placeOf,
    routed.map(({ message, routeKey }) => [
      routeKey,
      message.account_id,
      priorityOf(message.category),
      message.id,
    ]),
  )

const keyOf = ({ account_id, mode, id }: Pick<MessageState, 'account_id' | 'mode' | 'id'>): string =>
  `${account_id}/${mode}/${id}`
