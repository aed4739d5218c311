import { type TSchema, Type } from 'typebox'
import { type EventType, eventTypes } from '../messages/core/event-types.ts'
import { messageExample } from './v1/message-example.ts'
import { MessageSchema } from './v1/message-view.ts'
import { oneOf, orNull } from '../runtime/schemas.ts'
import { messageStatuses, modes } from '../storage/tables/column-values.ts'

const envelope = {
  id: Type.String({
    description: 'Names the event: the same in every repeat, and in the header `webhook-id`.',
  }),
  type: Type.String({ description: 'What happened, from an open list.' }),
  timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
  api_version: Type.String({ description: 'The version of the interface: `v1`.' }),
  mode: oneOf(modes, 'Of the message; `live` for what has none.'),
  account_id: Type.String({ description: 'The account that it happened to.' }),
}

const change = {
  sequence: Type.Integer({
    description:
      'Of two events about the same thing the higher one is the later: counts the changes of a message, else the time in milliseconds.',
  }),
  previous_status: Type.Unsafe({
    type: ['string', 'null'],
    enum: [...messageStatuses, null],
    description: 'Where the message stood before; null when it is new, or no message.',
  }),
  correction: Type.Boolean({ description: 'Whether a late word corrected a final state.' }),
}

const MessageEventSchema = Type.Object(
  {
    ...envelope,
    data: Type.Object(
      { ...change, message: MessageSchema },
      { description: 'What changed, and the message as it stood then.' },
    ),
  },
  { description: 'Something happened to a message.' },
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
      { additionalProperties: true, description: 'What changed, and the facts of the event.' },
    ),
  },
  { description: 'Something happened to the account, or to what is its own.' },
)

/** The schemas of events, by the names under which the reference knows them. */
export const webhookSchemas: Readonly<Record<string, TSchema>> = {
  MessageEvent: MessageEventSchema,
  AccountEvent: AccountEventSchema,
}

const says: Readonly<Record<EventType, string>> = {
  'message.scheduled':
    'A message was accepted, and waits for its time; or it has another time now (`previous_status` is `scheduled`).',
  'message.queued': 'A message was accepted, or its time has come.',
  'message.sent': 'The network took every part of a message.',
  'message.delivered': 'The network says that the handset has a message.',
  'message.undelivered': 'The network took a message and could not deliver it.',
  'message.failed': 'A message was not submitted, or only a part of it.',
  'message.expired': 'The validity of a message ended before it was submitted.',
  'message.canceled': 'A message was stopped before it was submitted.',
  'message.unconfirmed': 'Nobody knows what became of a message.',
  'message.received': 'An SMS came in.',
  'device.online': 'A device can send again.',
  'device.degraded': 'A device sends, and something is wrong with it.',
  'device.offline': 'A device cannot send.',
  'balance.low':
    'The live balance was found at its threshold or below. Looked at every 30 s, of active accounts that sent something within 30 days; after it has recovered it is not told again for an hour (the operator may set another time).',
  'balance.exhausted': 'Nothing was found left of the live balance. Looked at and told as `balance.low`.',
  'account.suspended': 'The operator suspended the account, or the guard against pumping did.',
  'account.reactivated': 'The operator reactivated the account.',
  'recipient.opted_out': 'Somebody wants no more messages.',
  'recipient.opted_in': 'Somebody wants messages again.',
  'failures.unusual':
    'Unusually many messages fail: `failed` of the `ended` ones of the last hour, where it were `usual_failed` of `usual_ended` in the week before.',
  'api_key.expiring': 'An API key ends soon.',
  'webhook.disabled': 'Another endpoint of the account was disabled because it failed.',
  'webhook.test': 'Somebody asked for an event to try the endpoint with.',
}

const signatureHeaders = [
  ['webhook-id', 'The id of the event, the same in every repeat.'],
  ['webhook-timestamp', 'When this try was made, in seconds since 1970.'],
  [
    'webhook-signature',
    '`v1,…`: HMAC-SHA-256 of `id.timestamp.body` in base64, by Standard Webhooks 1.0; two of them while the secret is rotated.',
  ],
] as const

const isOfMessage = (type: EventType): boolean => type.startsWith('message.')

const failuresExample = { failed: 41, ended: 120, usual_failed: 12, usual_ended: 9_310 }

/** What the service posts to endpoints, as OpenAPI 3.1 describes webhooks. */
export const webhooksObject: object = Object.fromEntries(
  eventTypes.map((type) => [
    type,
    {
      post: {
        operationId: type,
        tags: ['Webhooks'],
        summary: says[type],
        description: 'Posted to the endpoints of the account that chose it. See docs/webhooks.md.',
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
          '2XX': { description: 'Done: it is not told again.' },
          '410': { description: 'The endpoint is gone: it is disabled at once.' },
          default: {
            description:
              'A failure, redirects too: tried again for about 76 hours, no sooner than `Retry-After` says.',
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
