import { type TSchema, Type } from 'typebox'
import { type EventType, eventTypes } from '../../messages/core/event-types.ts'
import { messageExample } from '../v1/message-example.ts'
import { MessageSchema } from '../v1/message-view.ts'
import { oneOf, orNull } from '../../runtime/schemas.ts'
import { messageStatuses, modes } from '../../storage/tables/column-values.ts'

const envelope = {
  id: Type.String({
    description: 'Event ID. Identical on every retry; also sent as `webhook-id`.',
  }),
  type: Type.String({ description: 'Event type; an open list.' }),
  timestamp: Type.String({ format: 'date-time', description: 'Time of the event.' }),
  api_version: Type.String({ description: 'API version: `v1`.' }),
  mode: oneOf(modes, 'Mode of the message; `live` for events without a mode.'),
  account_id: Type.String({ description: 'Account of the event.' }),
}

const change = {
  sequence: Type.Integer({
    description:
      'Order of events about the same subject: the higher one is later. Counts the changes of a message; otherwise the time in milliseconds.',
  }),
  previous_status: Type.Unsafe({
    type: ['string', 'null'],
    enum: [...messageStatuses, null],
    description: 'Previous status of the message; null for a new message, and for events without one.',
  }),
  correction: Type.Boolean({ description: 'True when a late delivery receipt changed a final status.' }),
}

const MessageEventSchema = Type.Object(
  {
    ...envelope,
    data: Type.Object(
      { ...change, message: MessageSchema },
      { description: 'The change, and the message at that time.' },
    ),
  },
  { description: 'An event about a message.' },
)

const AccountEventSchema = Type.Object(
  {
    ...envelope,
    data: Type.Object(
      {
        ...change,
        recipient: Type.Optional(
          orNull<string>('string', 'With `recipient.…`: the number; null once it was erased.'),
        ),
      },
      { additionalProperties: true, description: 'The change, and the facts of the event.' },
    ),
  },
  { description: 'An event about the account or one of its objects.' },
)

/** Named schemas of events. */
export const webhookSchemas: Readonly<Record<string, TSchema>> = {
  MessageEvent: MessageEventSchema,
  AccountEvent: AccountEventSchema,
}

const summaries: Readonly<Record<EventType, string>> = {
  'message.scheduled':
    'A message was accepted with a `send_at` in the future, or was rescheduled (`previous_status` is `scheduled`).',
  'message.queued': 'A message was accepted, or its `send_at` was reached.',
  'message.sent': 'The network accepted all parts of a message.',
  'message.delivered': 'The network reported that a message was delivered to the handset.',
  'message.undelivered': 'The network accepted a message but could not deliver it.',
  'message.failed': 'A message was not submitted, or only in part.',
  'message.expired': 'The validity period of a message ended before it was submitted.',
  'message.canceled': 'A message was canceled before it was submitted.',
  'message.unconfirmed': 'The outcome of a message is unknown.',
  'message.received': 'An SMS was received.',
  'device.online': 'A device can send again.',
  'device.degraded': 'A device can send but has a problem.',
  'device.offline': 'A device cannot send.',
  'balance.low':
    'The live balance is at or below its threshold. Checked every 30 s for active accounts that sent something within 30 days. After a recovery it is not reported again for an hour (the operator can set another time).',
  'balance.exhausted': 'The live balance is used up. Checked and reported like `balance.low`.',
  'account.suspended': 'The account was suspended by the operator or the SMS pumping guard.',
  'account.reactivated': 'The account was reactivated by the operator.',
  'recipient.opted_out': 'A recipient opted out.',
  'recipient.opted_in': 'A recipient opted in again.',
  'failures.unusual':
    'Failure rate is unusually high: `failed` of `ended` in the last hour, compared with `usual_failed` of `usual_ended` in the week before.',
  'api_key.expiring': 'An API key expires soon.',
  'webhook.disabled': 'Another endpoint of the account was disabled because it failed.',
  'webhook.test': 'A user requested a test event.',
}

const signatureHeaders = [
  ['webhook-id', 'Event ID, identical on every retry.'],
  ['webhook-timestamp', 'Time of this attempt, Unix seconds.'],
  [
    'webhook-signature',
    '`v1,…`: HMAC-SHA-256 of `id.timestamp.body` in base64, as in Standard Webhooks 1.0; two or more while former secrets are active.',
  ],
] as const

const isOfMessage = (type: EventType): boolean => type.startsWith('message.')

const failuresExample = { failed: 41, ended: 120, usual_failed: 12, usual_ended: 9_310 }

/** The webhooks in the syntax of OpenAPI 3.1. */
export const webhooksObject: object = Object.fromEntries(
  eventTypes.map((type) => [
    type,
    {
      post: {
        operationId: type,
        tags: ['Webhooks'],
        summary: summaries[type],
        description:
          'Sent to webhook endpoints of the account that selected this type. See the guide [Webhooks](/docs/guides/webhooks).',
        security: [],
        parameters: signatureHeaders.map(([name, description]) => ({
          name,
          in: 'header',
          required: true,
          description,
          schema: { type: 'string' },
        })),
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                $ref: `#/components/schemas/${isOfMessage(type) ? 'MessageEvent' : 'AccountEvent'}`,
              },
              example: exampleOf(type),
            },
          },
        },
        responses: {
          '2XX': { description: 'Success. The event is not sent again.' },
          '410': { description: 'Gone. The endpoint is disabled immediately.' },
          default: {
            description:
              'Failure, including redirects. The event is retried for about 76 hours, not before `Retry-After`.',
          },
        },
      },
    },
  ]),
)

function exampleOf(type: EventType): object {
  const status = type.slice('message.'.length)
  return {
    id: 'evt_01k9ktqz5xe8ja3m7c2w9rdv4t',
    type,
    timestamp: '2026-11-21T09:30:03.511Z',
    api_version: 'v1',
    mode: 'live',
    account_id: 'acc_01k9ktnq8yf0tbv5z3s7h2dxe6',
    data: isOfMessage(type)
      ? { sequence: 4, previous_status: 'sent', correction: false, message: { ...messageExample, status } }
      : {
          sequence: 1_795_253_403_511,
          previous_status: null,
          correction: false,
          ...(type === 'failures.unusual' && failuresExample),
        },
  }
}
