import { type MessageKey, type MessageState, routeKeyOf } from './message-store.ts'

/** Where a message stands in the queue. */
export interface QueuePlace {
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
}: Pick<MessageKey, 'accountId' | 'messageId'> & { place: QueuePlace }) => ({
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

/** The route that a message waits on. */
export const routeOf = (message: MessageState): string =>
  routeKeyOf(message.mode, message.sender, message.encoding_forced === 1)
