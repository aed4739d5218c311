import { type Static, Type } from 'typebox'
import { closed, oneOf } from '../../../runtime/schemas.ts'
import { authSchema, verifySchema } from './proof-schemas.ts'
import { headerName, leaf, place, requestMembers, schemaOf } from './request-schemas.ts'

/** The largest declaration: it is a setting of its device, and is read again whenever that is. */
export const maxDeclarationBytes = 64 * 1024

/** What a refusal can mean for a message; the words are those of `messages/core/message-errors.ts`. */
export const refusalCodes = [
  'unreachable', 'number_invalid', 'content_rejected', 'network_rejected', 'network_congested', 'device_rate_limited',
  'device_error', 'recipient_opted_out', 'expired_in_network',
] as const // prettier-ignore
/** Why no message can be sent over the account at the provider. */
export const deviceReasons = ['credentials_refused', 'provider_no_credit', 'answer_not_understood'] as const
/** What an answer can mean. */
const meanings = ['accepted', 'good', 'now', 'busy', 'device', 'unknown'] as const
/** What a word for the state of a message can mean. */
const stateMeanings = ['delivered', 'undelivered', 'lost', 'on_its_way'] as const

const name = '^[a-z][a-z0-9_]{0,39}$'
const says = Type.String({ maxLength: 200, description: 'A sentence for people, with a full stop.' })

const setting = Type.Object(
  {
    says,
    required: Type.Optional(Type.Boolean()),
    default: Type.Optional(Type.String({ maxLength: 500 })),
    choices: Type.Optional(Type.Array(Type.String({ maxLength: 60 }), { minItems: 1, maxItems: 30 })),
  },
  closed,
)
const secret = Type.Object({ says, required: Type.Optional(Type.Boolean()) }, closed)

const answerRule = Type.Object(
  {
    status: Type.Optional(
      Type.String({
        pattern: '^[1-5](?:\\d\\d|xx)$',
        description: 'A status such as 201, or a class such as 2xx.',
      }),
    ),
    at: Type.Optional(place('What decides; without `is` it fits if there is a value.')),
    is: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: 200,
        description: 'Its values; `213*` fits all that begin so, `*Exception` all that end so.',
      }),
    ),
    means: oneOf(meanings, 'What the answer means for the message.'),
    code: Type.Optional(oneOf([...refusalCodes, ...deviceReasons], 'Why it was refused.')),
    id: Type.Optional(place('The ID of the message; the rule fits only where there is one.')),
    parts: Type.Optional(place('The number of parts that the provider counted.')),
  },
  closed,
)

const send = Type.Object(
  {
    ...requestMembers,
    each: Type.Optional(place('A list with an element for each part, to which the rules apply.')),
    answers: Type.Array(answerRule, {
      minItems: 1,
      maxItems: 100,
      description: 'The first rule that fits counts.',
    }),
    network_code: Type.Optional(
      Type.Union([
        place('The code of a refusal.'),
        Type.Array(place('A place of the code; the first that has one counts.'), {
          minItems: 1,
          maxItems: 10,
        }),
      ]),
    ),
  },
  closed,
)

const lookupMembers = {
  ...requestMembers,
  state: place('The word for the state.'),
  code: Type.Optional(place('The code of a failure.')),
}
const lookup = Type.Object(
  {
    by_id: Type.Optional(Type.Object(lookupMembers, closed)),
    by_reference: Type.Optional(
      Type.Object(
        {
          ...lookupMembers,
          items: Type.Optional(place('The list of messages.')),
          id: place('The ID of a message.'),
        },
        closed,
      ),
    ),
    search: Type.Optional(
      Type.Object(
        {
          ...requestMembers,
          items: place('The list of messages.'),
          id: place('The ID of a message.'),
          same: Type.Record(Type.String({ pattern: '^/' }), leaf, {
            description: 'What must be equal in the message that is sought, by its place.',
          }),
          at: place('When the provider received it.'),
        },
        closed,
      ),
    ),
    absence: Type.Optional(
      Type.Union([
        Type.Literal('proves_nothing'),
        Type.Object({ proves_after_s: Type.Integer({ minimum: 1, maximum: 86_400 }) }, closed),
      ]),
    ),
  },
  closed,
)

const callbackAnswer = Type.Object(
  {
    status: Type.Integer({ minimum: 200, maximum: 299 }),
    type: Type.Optional(Type.String({ pattern: '^[a-z]+/[a-z0-9.+-]+(?:; ?charset=utf-8)?$' })),
    body: Type.Optional(Type.String({ maxLength: 1_000 })),
  },
  closed,
)

const status = Type.Object(
  {
    verify: verifySchema,
    list: Type.Optional(place('The list of receipts in one call.')),
    id: Type.Optional(place('The ID of the message. Omitted: the receipt names the attempt.')),
    state: place('The word for the state.'),
    code: Type.Optional(place('The code of a failure.')),
    reference: Type.Optional(place('What `{reference}` or `{reference_uuid}` was.')),
    number: Type.Optional(place('The number of the recipient.')),
    per: Type.Optional(oneOf(['message', 'part'], 'What a receipt covers. Default: the whole message.')),
    answer: callbackAnswer,
  },
  closed,
)

const inbound = Type.Object(
  {
    verify: Type.Union([Type.Literal('status'), verifySchema]),
    list: Type.Optional(place('The list of messages in one call.')),
    only: Type.Optional(
      Type.Object(
        { at: place('What tells a message from other calls.'), is: Type.Array(Type.String()) },
        closed,
      ),
    ),
    id: Type.Optional(place('The ID of the received message.')),
    from: place('The number of the sender.'),
    to: Type.Optional(place('The number that it was sent to.')),
    text: place('The text.'),
    at: Type.Optional(place('When it was received: a date, or seconds or milliseconds since 1970.')),
    part: Type.Optional(
      Type.Object(
        {
          reference: place('What the parts of a message have in common.'),
          total: place('The number of parts.'),
          index: place('The number of this part, from 1.'),
        },
        closed,
      ),
    ),
    media: Type.Optional(place('Addresses of pictures and other media.')),
    answer: callbackAnswer,
  },
  closed,
)

const balance = Type.Object(
  {
    ...requestMembers,
    amount: place('The amount.'),
    currency: Type.Optional(Type.Union([place('The currency.'), Type.String({ pattern: '^[A-Z]{3}$' })])),
  },
  closed,
)

const example = Type.Object(
  {
    title: Type.String({ minLength: 3, maxLength: 120 }),
    with: Type.Optional(
      Type.Object(
        {
          settings: Type.Optional(Type.Record(Type.String(), Type.String())),
          secrets: Type.Optional(Type.Record(Type.String(), Type.String())),
          parts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
          now: Type.Optional(
            Type.String({ description: 'The time of the call, for signatures with an age.' }),
          ),
          certificate: Type.Optional(Type.String({ description: 'That of Amazon SNS, in PEM.' })),
        },
        closed,
      ),
    ),
    answer: Type.Optional(
      Type.Object(
        {
          status: Type.Integer({ minimum: 100, maximum: 599 }),
          headers: Type.Optional(Type.Record(Type.String(), Type.String())),
          body: Type.Optional(schemaOf<unknown>('JSON, or a text.')),
        },
        closed,
      ),
    ),
    callback: Type.Optional(
      Type.Object(
        {
          on: oneOf(['status', 'inbound'], 'Which address is called.'),
          url: Type.Optional(
            Type.String({ description: 'The address that was called, where it is signed.' }),
          ),
          method: Type.Optional(oneOf(['GET', 'POST'], 'Default: POST.')),
          headers: Type.Optional(Type.Record(Type.String(), Type.String())),
          query: Type.Optional(Type.String({ description: 'The query, as it is sent.' })),
          body: Type.Optional(Type.String({ description: 'The body, octet by octet.' })),
        },
        closed,
      ),
    ),
    is: schemaOf<unknown>('Members of the result.'),
  },
  closed,
)

/** The schema of a declaration: what a provider is, in one document without code. */
export const declarationSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    format: Type.Literal(1),
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,31}$' }),
    title: Type.String({ minLength: 1, maxLength: 60 }),
    source: Type.Optional(
      Type.Array(Type.String({ maxLength: 300 }), {
        maxItems: 20,
        description: 'What it was written from, with the day.',
      }),
    ),
    tried: Type.Optional(Type.Union([Type.Null(), Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })])),
    hosts: Type.Array(Type.String({ maxLength: 253 }), { maxItems: 50 }),
    settings: Type.Optional(Type.Record(Type.String({ pattern: name }), setting)),
    secrets: Type.Optional(Type.Record(Type.String({ pattern: name }), secret)),
    auth: Type.Optional(authSchema),
    send,
    idempotency: Type.Optional(
      Type.Object(
        {
          header: Type.Optional(headerName),
          for_s: Type.Integer({ minimum: 1, maximum: 31 * 86_400 }),
        },
        closed,
      ),
    ),
    encoding: Type.Optional(oneOf(['by_text', 'told'], 'Whether the request says how the text is encoded.')),
    max_parts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    max_per_second: Type.Optional(Type.Number({ minimum: 0.001, maximum: 100_000 })),
    lookup: Type.Optional(lookup),
    status: Type.Optional(status),
    states: Type.Optional(Type.Record(Type.String(), oneOf(stateMeanings, 'What the word means.'))),
    codes: Type.Optional(
      Type.Record(
        Type.String(),
        oneOf(refusalCodes, 'What the code of a receipt means; answers have other codes.'),
      ),
    ),
    inbound: Type.Optional(inbound),
    balance: Type.Optional(balance),
    examples: Type.Optional(Type.Array(example, { maxItems: 200 })),
  },
  closed,
)

export type Declaration = Static<typeof declarationSchema>
export type AnswerRule = Static<typeof answerRule>
export type RefusalCode = (typeof refusalCodes)[number]
export type DeviceReason = (typeof deviceReasons)[number]
export type Example = Static<typeof example>
