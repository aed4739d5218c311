import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { MessageKey, MessageState } from '../core/message-store.ts'
import { readExcludes } from '../core/followers.ts'
import { routeKeyOf, routePayerOf } from '../core/route-key.ts'

/** The position of a message in the queue. */
export interface QueuePosition {
  route_key: string
  priority: number
  due_at: number
  refusals: number
}

export const queueKey = ['route_key', 'account_id', 'priority', 'due_at', 'message_id'] as const

/** Returns the primary key of the queue row of a message. */
export const queueKeyOf = ({
  position,
  accountId,
  messageId,
}: Pick<MessageKey, 'accountId' | 'messageId'> & { position: QueuePosition }) => ({
  route_key: position.route_key,
  account_id: accountId,
  priority: position.priority,
  due_at: position.due_at,
  message_id: messageId,
})

type Routed = Pick<
  MessageState,
  'account_id' | 'mode' | 'id' | 'sender' | 'encoding_forced' | 'paid_by' | 'fallback' | 'way'
>

/**
 * Returns the route of a message; `avoids`: the one on which it is after this device refused it; `excludes`: if it follows
 * one that these did not deliver (`routesAvoiding`).
 */
export const routeOf = (
  message: Routed,
  avoids: string | null = null,
  excludes: readonly string[] = [],
): string =>
  routeKeyOf({
    mode: message.mode,
    sender: message.sender,
    encodingForced: message.encoding_forced === 1,
    paidBy: routePayerOf(message),
    way: message.way,
    avoids,
    excludes,
  })

const attemptedOn = {
  sql: 'select device_id, message_id from attempts where account_id = :account and mode = :mode and message_id = :message',
  inputs: ['account', 'mode', 'message'],
} as const

/**
 * Returns the routes on which these messages may be queued for another device than one that had them, or had the
 * message that they follow. Used only for messages that are not on the route of `routeOf`.
 */
export async function routesAvoiding<M extends Routed>(
  db: Db | Tx,
  messages: readonly M[],
): Promise<{ message: M; routeKey: string }[]> {
  const rows = await selectEach<{ device_id: string; message_id: string }>(
    db,
    attemptedOn,
    messages.map(({ account_id, mode, id }) => [account_id, mode, id]),
  )
  const byId = new Map(messages.map((message) => [message.id, message]))
  const attempted = new Map(rows.map((row) => [`${row.message_id}/${row.device_id}`, row]))
  const excludes = await readExcludes(db, messages)
  const routed = (message: M, avoids: string | null) => ({
    message,
    routeKey: routeOf(message, avoids, excludes.get(message.id)),
  })
  return [
    ...messages.filter(({ id }) => excludes.has(id)).map((message) => routed(message, null)),
    ...[...attempted.values()].flatMap(({ device_id, message_id }) => {
      const message = byId.get(message_id)
      return message === undefined ? [] : [routed(message, device_id)]
    }),
  ]
}
