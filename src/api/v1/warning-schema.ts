import { Type } from 'typebox'
import { orNull } from '../../runtime/schemas.ts'

/** A character that is not in GSM-7; part of warnings and faults. */
export const OffendingSchema = Type.Object(
  {
    character: Type.String({ description: 'The character.' }),
    code_point: Type.String({ description: 'Code point, for example `U+2019`.' }),
    index: Type.Integer({
      description: 'First position, counted in characters (code points) from 0.',
    }),
    count: Type.Integer({ description: 'Number of occurrences.' }),
    replacement: orNull<string>(
      'string',
      'Look-alike character that `smart_encoding` would use instead; null without one.',
    ),
  },
  { description: 'A character that is not in GSM-7.' },
)

/** A warning about a send. Open: new codes can have other members. */
export const WarningSchema = Type.Object(
  {
    code: Type.String({
      description:
        '`unicode_encoding`, `no_device_online`, `recipient_not_known_mobile`, `recipient_longer_than_plan`, `recipient_former_spelling`, `validity_shorter_than_queue`, `low_balance`, `shortened_by_smart_encoding`, `simulated`, `resend_not_possible`, `paid_by_balance`; an open list.',
    }),
    message: Type.String({ description: 'Description for people.' }),
    reason: Type.Optional(Type.String({ description: 'With `paid_by_balance`: why no own device can carry the send for nothing: `no_own_device`, `sender`, `encoding`, `too_long`; an open list.' })),
    parts_if_gsm7: Type.Optional(orNull<number>('integer', 'With `unicode_encoding`: parts of the text with look-alike characters replaced; null when it would still not fit GSM-7.')),
    offending: Type.Optional(Type.Array(OffendingSchema, { maxItems: 50, description: 'With `unicode_encoding`: the characters, in order of appearance.' })),
    parts_without: Type.Optional(Type.Integer({ description: 'With `shortened_by_smart_encoding`: parts of the original text.' })),
    pointers: Type.Optional(Type.Array(Type.String(), { description: 'With `recipient_not_known_mobile`, `recipient_longer_than_plan` and `recipient_former_spelling`: these recipients, as JSON pointers into the body.' })),
    suggestions: Type.Optional(Type.Array(Type.String(), { description: 'With `recipient_former_spelling`: today\'s format of each number in `pointers`, in the same order. The message is sent to the number as given.' })),
    estimated_wait_seconds: Type.Optional(orNull<number>('integer', 'With `validity_shorter_than_queue`: estimated seconds until the last message can be sent at the rate limit of your own devices, including up to 15 minutes until a phone without an event stream polls; null when that is longer than any validity period.')),
  },
  { additionalProperties: true, description: 'A warning. Some codes have further members.' },
) // prettier-ignore
