import { type TSchema, Type } from 'typebox'
import { operations } from './operations.ts'
import { MessageSchema } from './v1/message-view.ts'
import { SendSchema } from './v1/send-answer.ts'
import { SendBodySchema } from '../sending/send-body.ts'
import { OffendingSchema, WarningSchema } from './v1/warning-schema.ts'

export const apiDescription = `Four operations, JSON both ways. Send the API key as \`Authorization: Bearer <API_KEY>\`.

A **part** is one radio message: 160 characters of the GSM alphabet or 70 of any other alone, 153 or 67 when a text needs several. One part costs one SMS of the
prepaid balance, wherever it goes.

Names are snake_case. Members are always present, \`null\` when unknown. Times are RFC 3339 in UTC with three fraction digits. Ids are opaque. These lists are
closed within v1: \`mode\`, \`direction\`, message \`status\`, \`category\`, \`encoding\`, \`on_unknown\`, \`cost.state\`; every other list may grow, and so may
objects.

Refusals are problem documents (RFC 9457): branch on \`code\`. An unknown field or parameter is refused, because a typo must never change what is sent.`

export const FaultSchema = Type.Object(
  {
    pointer: Type.Optional(Type.String({ description: 'Where in the body, as a JSON pointer (RFC 6901).' })),
    parameter: Type.Optional(Type.String({ description: 'The query parameter.' })),
    code: Type.String({
      description:
        '`required`, `unknown_field`, `wrong_type`, `invalid_format`, `out_of_range`, `too_short`, `too_long`, `too_many_items`, `not_in_enum`, `duplicate_recipient`, `invalid_number`, `message_too_long`, `not_encodable`, `sender_not_available`, `encoding_not_available`, `invalid_unicode`, `control_character`, `blank`, `unknown_parameter`, `repeated_parameter`, `recipient_opted_out`, `destination_not_allowed`, `premium_number`, `recipient_rate_limited`; an open list.',
    }),
    detail: Type.String({ description: 'What is wrong, for people.' }),
    suggestion: Type.Optional(Type.String({ description: 'What was probably meant.' })),
    offending: Type.Optional(
      Type.Array(OffendingSchema, {
        description: 'With `not_encodable`: the characters, in the order in which they appear.',
      }),
    ),
  },
  { additionalProperties: true, description: 'One fault in a body or query.' },
)

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'A page about this code.' }),
    title: Type.String({ description: 'What the code means.' }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    code: Type.String({ description: 'What to branch on; an open list.' }),
    detail: Type.String({ description: 'What is wrong with this request, or what to do.' }),
    request_id: Type.String({ description: 'Names this request in the log of the service.' }),
    errors: Type.Optional(Type.Array(FaultSchema, { description: 'Every fault, up to 100.' })),
    required: Type.Optional(
      Type.Integer({ description: 'With `insufficient_balance`: SMS that this send needs.' }),
    ),
    available: Type.Optional(
      Type.Integer({ description: 'With `insufficient_balance`: SMS that there are.' }),
    ),
    violated_policies: Type.Optional(
      Type.Array(Type.String(), { description: 'With 429: which limits; an open list.' }),
    ),
  },
  { additionalProperties: true, description: 'A refusal, RFC 9457.' },
)

/** The schemas that the reference names. */
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
