import { Type } from 'typebox'
import { orNull } from '../../runtime/schemas.ts'

/** A character that keeps a text from being GSM-7; stands in warnings and faults. */
export const OffendingSchema = Type.Object(
  {
    character: Type.String({ description: 'The character.' }),
    code_point: Type.String({ description: 'Its code point, such as `U+2019`.' }),
    index: Type.Integer({
      description: 'Where it stands first, counted in characters (code points) from 0.',
    }),
    count: Type.Integer({ description: 'How often it stands there.' }),
    replacement: orNull<string>(
      'string',
      'The look-alike that `smart_encoding` would put in its place; null when it has none.',
    ),
  },
  { description: 'A character that GSM-7 lacks.' },
)

/** A remark on a send. Open: codes to come may bring other members. */
export const WarningSchema = Type.Object(
  {
    code: Type.String({
      description:
        '`unicode_encoding`, `no_device_online`, `recipient_not_known_mobile`, `recipient_longer_than_plan`, `recipient_former_spelling`, `validity_shorter_than_queue`, `low_balance`, `shortened_by_smart_encoding`, `simulated`, `resend_not_possible`; an open list.',
    }),
    message: Type.String({ description: 'What is worth knowing, for people.' }),
    parts_if_gsm7: Type.Optional(orNull<number>('integer', 'With `unicode_encoding`: the parts it would need with its look-alikes replaced; null when GSM-7 could not carry it even then.')),
    offending: Type.Optional(Type.Array(OffendingSchema, { maxItems: 50, description: 'With `unicode_encoding`: the characters, in the order in which they appear.' })),
    parts_without: Type.Optional(Type.Integer({ description: 'With `shortened_by_smart_encoding`: the parts that it would need as it was given.' })),
    pointers: Type.Optional(Type.Array(Type.String(), { description: 'With `recipient_not_known_mobile`, `recipient_longer_than_plan` and `recipient_former_spelling`: those recipients, as JSON pointers into the body.' })),
    suggestions: Type.Optional(Type.Array(Type.String(), { description: 'With `recipient_former_spelling`: what each of `pointers` is written as today, in the same order. The message goes to the number as it was given.' })),
    estimated_wait_seconds: Type.Optional(orNull<number>('integer', 'With `validity_shorter_than_queue`: until the last of the messages can have gone, at the pace of your own devices, with up to 15 minutes until a phone without an event stream asks for messages; null when that takes longer than any message lives.')),
  },
  { additionalProperties: true, description: 'A remark; some codes bring further members.' },
) // prettier-ignore
