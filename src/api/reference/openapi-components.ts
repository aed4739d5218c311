import { type TSchema, Type } from 'typebox'
import { operations } from '../v1/operations.ts'
import { MessageSchema } from '../v1/message-view.ts'
import { SendSchema } from '../v1/send-answer.ts'
import { SendBodySchema } from '../../sending/send-body.ts'
import { OffendingSchema, WarningSchema } from '../v1/warning-schema.ts'

export const apiDescription = `Four operations with JSON requests and responses. Send the API key as \`Authorization: Bearer <API_KEY>\`.

A **part** (segment) is one SMS on the network: up to 160 characters of the GSM alphabet or 70 of any other in a single part, 153 or 67 per part when a text needs
several. One part costs one SMS of the prepaid balance, to any destination; it costs nothing in accounts whose own devices are free, over one of them (\`cost.paid_by\`, \`fallback\`).

Names are snake_case. Members are always present, \`null\` when unknown. Times are RFC 3339 in UTC with three fraction digits. IDs are opaque. These lists are
closed within v1: \`mode\`, \`direction\`, message \`status\`, \`category\`, \`encoding\`, \`on_unknown\`, \`cost.state\`. Every other list can get new values, and objects can get new
members.

Errors are problem documents (RFC 9457): branch on \`code\`. Unknown fields and parameters are rejected, because a typo must never change what is sent.

[Guides](/docs/guides) describe devices, webhooks, received messages and test numbers; [Problems](/docs/problems) lists all errors.`

export const FaultSchema = Type.Object(
  {
    pointer: Type.Optional(
      Type.String({ description: 'Position in the body, as a JSON pointer (RFC 6901).' }),
    ),
    parameter: Type.Optional(Type.String({ description: 'Query parameter.' })),
    code: Type.String({
      description:
        '`required`, `unknown_field`, `wrong_type`, `invalid_format`, `out_of_range`, `too_short`, `too_long`, `too_many_items`, `not_in_enum`, `duplicate_recipient`, `invalid_number`, `message_too_long`, `not_encodable`, `sender_not_available`, `encoding_not_available`, `invalid_unicode`, `control_character`, `blank`, `unknown_parameter`, `repeated_parameter`, `recipient_opted_out`, `destination_not_allowed`, `premium_number`, `recipient_rate_limited`; an open list.',
    }),
    detail: Type.String({ description: 'What is wrong, for people.' }),
    suggestion: Type.Optional(Type.String({ description: 'Probably intended value.' })),
    offending: Type.Optional(
      Type.Array(OffendingSchema, {
        description: 'With `not_encodable`: the characters, in order of appearance.',
      }),
    ),
  },
  { additionalProperties: true, description: 'One fault of a body or query.' },
)

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'Documentation page of this code.' }),
    title: Type.String({ description: 'Meaning of the code.' }),
    status: Type.Integer({ description: 'HTTP status.' }),
    code: Type.String({ description: 'Error code to branch on; an open list.' }),
    detail: Type.String({ description: 'What is wrong with this request, or what to do.' }),
    request_id: Type.String({ description: 'ID of this request in the server log.' }),
    errors: Type.Optional(Type.Array(FaultSchema, { description: 'All faults, up to 100.' })),
    required: Type.Optional(
      Type.Integer({ description: 'With `insufficient_balance`: SMS required for this send.' }),
    ),
    available: Type.Optional(Type.Integer({ description: 'With `insufficient_balance`: SMS available.' })),
    violated_policies: Type.Optional(
      Type.Array(Type.String(), { description: 'With 429: the limits that were exceeded; an open list.' }),
    ),
  },
  { additionalProperties: true, description: 'An error (RFC 9457).' },
)

/** Named schemas of the reference. */
export const componentSchemas: Readonly<Record<string, TSchema>> = {
  SendRequest: SendBodySchema,
  Send: SendSchema,
  Warning: WarningSchema,
  Offending: OffendingSchema,
  Message: MessageSchema,
  MessageList: answerSchema(operations.history),
  Status: answerSchema(operations.status),
  Balance: answerSchema(operations.balance),
  Problem: ProblemSchema,
  Fault: FaultSchema,
}

function answerSchema({ id, answers }: { id: string; answers: { 200?: { schema: TSchema } } }): TSchema {
  if (answers[200] === undefined) throw new Error(`${id} documents no answer.`)
  return answers[200].schema
}
