import { type Static, Type } from 'typebox'
import { everyMessage, type HistoryQuery } from '../../../messages/history/history-query.ts'
import { oneOf } from '../../../runtime/schemas.ts'
import { directions, messageStatuses } from '../../../storage/tables/column-values.ts'

const id = (prefix: string) => Type.String({ pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$` })

/** Filter of the history. A message must match all conditions. */
export const HistoryFilterInput = Type.Object(
  {
    status: Type.Optional(
      Type.Array(oneOf(messageStatuses, 'Status.'), { maxItems: messageStatuses.length }),
    ),
    direction: Type.Optional(oneOf(directions, 'Direction.')),
    deviceId: Type.Optional(id('dev')),
    /** API key or user. */
    sentBy: Type.Optional(Type.String({ pattern: '^(key|usr)_[0-9a-z]{26}$' })),
    /** The recipient; of received messages the sender. */
    number: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    reference: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    errorCode: Type.Optional(Type.String({ pattern: '^[a-z_]{1,40}$' })),
    sendId: Type.Optional(id('snd')),
    /** Inclusive, milliseconds since 1970. */
    fromMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 })),
    /** Exclusive. */
    toMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 })),
  },
  { additionalProperties: false },
)

export type HistoryFilterInput = Static<typeof HistoryFilterInput>

/** Returns the query of a filter, newest first. */
export function queryOf(filter: HistoryFilterInput): HistoryQuery {
  const { number = null, direction = null } = filter
  const isReceived = direction === 'inbound'
  return {
    ...everyMessage,
    statuses: filter.status ?? [],
    direction,
    deviceId: filter.deviceId ?? null,
    keyId: filter.sentBy ?? null,
    to: isReceived ? null : number,
    from: isReceived ? number : null,
    text: filter.text ?? null,
    clientReference: filter.reference ?? null,
    errorCode: filter.errorCode ?? null,
    sendId: filter.sendId ?? null,
    createdAfterMs: filter.fromMs ?? null,
    createdBeforeMs: filter.toMs ?? null,
  }
}
