import { type Static, Type } from 'typebox'
import { requireAccount } from '../../accounts/core/list-accounts.ts'
import { parsePhoneNumber } from '../../numbers/phone-number.ts'
import { refuse } from '../../runtime/errors.ts'
import { echoedTextFault } from '../../runtime/field-faults.ts'
import { oneOf, orNull } from '../../runtime/schemas.ts'
import { categories, modes } from '../../storage/tables/column-values.ts'
import { readBody } from '../edge/read-body.ts'
import { ruleSchemaOf, stageSchemaOf } from '../v1/routing-view.ts'
import type { OperatorOperation } from './operation.ts'

const QuestionSchema = Type.Object(
  {
    account_id: Type.String({ minLength: 1, maxLength: 64, description: 'Account that sends.' }),
    to: Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$', description: 'Recipient in E.164.' }),
    from: Type.Optional(
      orNull<string>('string', 'Requested sender. Default: none.', { minLength: 1, maxLength: 16, default: null }),
    ),
    category: Type.Optional({ ...oneOf(categories, 'Category.'), default: 'transactional' }),
    encoding: Type.Optional({ ...oneOf(['gsm7', 'ucs2'], 'Encoding of the text.'), default: 'gsm7' }),
    parts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 1, description: 'Parts of the message.' })),
    mode: Type.Optional({ ...oneOf(modes, 'Mode of the message.'), default: 'live' }),
    fallback: Type.Optional(
      Type.Boolean({ default: false, description: 'With the fallback to shared devices, where own devices are free.' }),
    ),
  },
  { additionalProperties: false, description: 'A message that is not sent.' },
) // prettier-ignore

const ExplanationSchema = Type.Object({
  object: oneOf(['route_explanation'], 'Type of the object.'),
  rule: ruleSchemaOf('The first rule that matches; null without one.'),
  refused: Type.Boolean({ description: 'True if the rule refuses the message.' }),
  stages: Type.Array(
    stageSchemaOf({
      id: Type.String({ description: 'Device ID.' }),
      shared: Type.Boolean({ description: 'Whether it is shared by the operator.' }),
    }),
    { description: 'Stages of the way, in order.' },
  ),
})

export const explainRouteOperation: OperatorOperation = {
  id: 'explainRoute',
  method: 'POST',
  path: '/operator/v1/route-explanations',
  scope: 'read',
  summary: 'Explain a route',
  description:
    'Says which rule matches a message, over which devices it would go now, and why not over others. Nothing is stored. Devices are as this server sees them.',
  body: {
    schema: QuestionSchema,
    examples: {
      code: {
        summary: 'A code to Germany',
        value: { account_id: 'acc_01k9ktn8q4e8bvzr5y1w3xh7dg', to: '+4915112345678', category: 'authentication' },
      },
    },
  },
  answers: {
    200: {
      description: 'The explanation.',
      schema: ExplanationSchema,
      example: {
        object: 'route_explanation',
        rule: { id: 'rul_01k9ktn8q4e8bvzr5y1w3xh7dg', name: 'DE by phone, net below' },
        refused: false,
        stages: [
          {
            opens: null,
            open: true,
            devices: [{ id: 'dev_01k9ktn8q4e8bvzr5y1w3xh7dg', shared: false, verdict: 'next', says: 'It gets the message next.' }],
          },
        ],
      } satisfies Static<typeof ExplanationSchema>,
    },
  },
  problems: ['invalid_query', 'not_found', 'payload_too_large', 'unsupported_media_type', 'validation_failed'],
  async handle({ read, ids, explainRoute }, { body }) {
    const asked = readBody(QuestionSchema, body, { textFault: echoedTextFault })
    const { account_id: accountId, to, from = null, category = 'transactional', encoding = 'gsm7', parts = 1, mode = 'live', fallback = false } = asked
    const number = parsePhoneNumber(to)
    if ('fault' in number)
      throw refuse('validation_failed', { errors: [{ pointer: '/to', code: number.fault, detail: number.detail }] })
    await requireAccount(read, accountId)
    const question = { accountId, mode, to: number.e164, country: number.country, from, category, encoding, parts }
    const { rule, isRefused, stages } = await explainRoute({ ...question, fallback, messageId: ids('msg') })
    const answer: Static<typeof ExplanationSchema> = {
      object: 'route_explanation',
      rule: rule === null ? null : { id: rule.id, name: rule.name },
      refused: isRefused,
      stages: stages.map(({ opens, isOpen, devices }) => ({
        opens,
        open: isOpen,
        devices: devices.map(({ id, isShared, verdict, says }) => ({ id, shared: isShared, verdict, says })),
      })),
    }
    return { status: 200, body: answer }
  },
} // prettier-ignore
