import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { type MessageKey, type MessageState, routeKeyOf } from '../core/message-store.ts'

/** Where a message stands in the queue. */
export interface QueuePosition {
  route_key: string
  priority: number
  due_at: number
  refusals: number
}

export const queueKey = ['route_key', 'account_id', 'priority', 'due_at', 'message_id'] as const

/** The primary key of the queue row of a message. */
export const queueKeyOf = ({
  place,
  accountId,
  messageId,
}: Pick<MessageKey, 'accountId' | 'messageId'> & { place: QueuePosition }) => ({
  route_key: place.route_key,
  account_id: accountId,
  priority: place.priority,
  due_at: place.due_at,
  message_id: messageId,
})

/** Which of these places a restore holds; takes the values of `queueKeyOf`. */
export const heldPlace = {
  sql: `select message_id from queue where route_key = :route and account_id = :account and priority = :priority and due_at = :due
          and message_id = :message and restore_hold = 1`,
  inputs: ['route', 'account', 'priority', 'due', 'message'],
} as const

type Routed = Pick<MessageState, 'account_id' | 'mode' | 'id' | 'sender' | 'encoding_forced'>

/** The route that a message waits on, unless a device has refused it: then it may wait on one of `routesAvoiding`. */
export const routeOf = (message: Routed): string =>
  routeKeyOf(message.mode, message.sender, message.encoding_forced === 1)

const triedOn = {
  sql: 'select device_id, message_id from attempts where account_id = :account and mode = :mode and message_id = :message',
  inputs: ['account', 'mode', 'message'],
} as const

/** The routes on which each of these may wait for another device than one that has had it. Only looked up for what is not where `routeOf` says. */
export async function routesAvoiding<M extends Routed>(
  db: Db | Tx,
  messages: readonly M[],
): Promise<{ message: M; routeKey: string }[]> {
  const rows = await selectEach<{ device_id: string; message_id: string }>(
    db,
    triedOn,
    messages.map(({ account_id, mode, id }) => [account_id, mode, id]),
  )
  const byId = new Map(messages.map((message) => [message.id, message]))
  const tried = new Map(rows.map((row) => [`${row.message_id}/${row.device_id}`, row]))
  return [...tried.values()].flatMap(({ device_id, message_id }) => {
    const message = byId.get(message_id)
    if (message === undefined) return []
    const { mode, sender, encoding_forced } = message
    return [{ message, routeKey: routeKeyOf(mode, sender, encoding_forced === 1, device_id) }]
  })
}
