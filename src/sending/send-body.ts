import { type Static, Type } from 'typebox'
import type { Fault, FieldCode } from '../runtime/errors.ts'
import { echoedTextFault } from '../runtime/field-faults.ts'
import { type BodySchema, readMembers, type ReadRules, schemaFaults } from '../runtime/schema-faults.ts'
import { oneOf, orNull } from '../runtime/schemas.ts'
import { categories, fallbacks } from '../storage/tables/column-values.ts'
import { metadataFaults } from './send-metadata.ts'

const e164 = '^\\+[1-9][0-9]{6,14}$'
const number = Type.String({ pattern: e164, description: 'Number in E.164.' })

/** The body of a send. Each member can be given once; unknown members are rejected. */
export const SendBodySchema = Type.Object(
  {
    to: Type.Union([number, Type.Array(number, { minItems: 1, maxItems: 100, uniqueItems: true })], {
      description:
        'One recipient or up to 100, in E.164, without duplicates; each gets its own message. Spaces, dashes, short and emergency numbers are rejected.',
    }),
    text: Type.String({
      minLength: 1,
      maxLength: 2000,
      description:
        'Text of the message, up to 2,000 characters (code points). Not blank; the only control characters allowed are LF, CR, FF and TAB. Normalised to NFC, CRLF to LF.',
    }),
    from: Type.Optional(
      orNull<string>('string', 'Sender: a number of one of your devices in E.164, a name of up to 11 characters with a letter, or a short code. Default: chosen by routing.', {
        pattern: '^(?:\\+[1-9][0-9]{6,14}|[0-9]{3,8}|(?=.*[A-Za-z])(?! )[ -~]{1,11}(?<! ))$',
        default: null,
      }),
    ),
    category: Type.Optional({ ...oneOf(categories, 'Determines priority (authentication first), default validity and redaction.'), default: 'transactional' }),
    encoding: Type.Optional({
      ...oneOf(['auto', 'gsm7', 'ucs2'], 'Alphabet of the whole text. `auto` uses GSM-7 if it has all characters; `gsm7` rejects texts with other characters.'),
      default: 'auto',
    }),
    smart_encoding: Type.Optional(
      Type.Boolean({ default: false, description: 'Replace look-alikes (curly quotes, dashes, ellipsis, odd spaces) if the text then fits GSM-7 and needs fewer parts. Letters are never replaced.' }),
    ),
    max_parts: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, default: 10, description: 'Maximum parts of a message; one that needs more is rejected, never cut.' }),
    ),
    validity_period: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 259_200, description: 'Seconds from acceptance, or from `send_at`, within which the message must be submitted; then it expires. Default: 600 for `authentication`, else 86,400.' }),
    ),
    send_at: Type.Optional(
      orNull<string>('string', 'Send time, RFC 3339 with an offset: up to 30 days ahead; up to 60 s in the past means now. Until then the message is `scheduled`, and users can cancel or move it in the console.', { format: 'date-time', default: null }),
    ),
    client_reference: Type.Optional(orNull<string>('string', 'Your reference: returned, and a filter in history. Need not be unique.', { minLength: 1, maxLength: 100, default: null })),
    metadata: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,40}$' }), Type.String({ maxLength: 200 }), {
        maxProperties: 10,
        additionalProperties: false,
        default: {},
        description: 'Your data: up to 10 names with texts of up to 200 characters, 2 KiB in total; returned, never interpreted.',
      }),
    ),
    on_unknown: Type.Optional({
      ...oneOf(['stop', 'resend_once'], 'If the outcome of a submission to a link is unknown: `stop` makes the message `unconfirmed`, `resend_once` sends it once more (`possible_duplicate: true`), charged once.'),
      default: 'stop',
    }),
    on_undelivered: Type.Optional({
      ...oneOf(['stop', 'next_way'], 'If the network reports that a message was not delivered: `next_way` sends one second message with the same text, reference and metadata, within the same validity period, over devices that did not take the first one. It has an ID and a cost of its own. Never after an unknown outcome or a missing receipt.'),
      default: 'stop',
    }),
    fallback: Type.Optional(
      oneOf(fallbacks, 'In an account whose own devices are free: `shared` lets shared devices carry the send while no own device works. It takes a hold of the balance, released whole when an own device sends (`cost.paid_by`). By default such a send waits for an own device. No effect in other accounts and in test mode, where shared devices always help.'),
    ),
    via: Type.Optional(
      Type.Object(
        {
          device: Type.String({ pattern: '^dev_[0-9a-z]{26}$', description: 'ID of a device of this account.' }),
          sim: Type.Optional(Type.Integer({ minimum: 1, maximum: 3, description: 'SIM of a phone, by its slot. Default: as the phone is set up.' })),
        },
        { additionalProperties: false, description: 'Send over this own device alone, regardless of the rules of routes. The messages wait while it does not work.' },
      ),
    ),
    dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Check and price the send, store nothing, return 200.' })),
  },
  { additionalProperties: false, description: 'Text and recipients of a send.' },
) // prettier-ignore

export type SendBody = Static<typeof SendBodySchema>

/**
 * Names of our members in other interfaces, in lower case: Twilio (Body, without MessagingServiceSid), Sinch
 * and MessageBird (body, originator, recipients), Amazon SNS (PhoneNumber, Message), Plivo (src, dst),
 * Clickatell (content), Infobip (destinations), SMSGate (phoneNumbers, message).
 */
const otherNames: ReadonlyMap<string, string> = new Map([
  ...['body', 'content', 'message', 'messagetext', 'msg', 'sms', 'textmessage'].map((name) => [name, 'text'] as const),
  ...['destination', 'destinations', 'dst', 'mobile', 'msisdn', 'number', 'numbers', 'phone', 'phonenumber', 'phonenumbers', 'recipient', 'recipients'].map((name) => [name, 'to'] as const),
  ...['originator', 'sender', 'senderid', 'src'].map((name) => [name, 'from'] as const),
  ...['scheduleat', 'scheduledat', 'scheduletime', 'sendtime'].map((name) => [name, 'send_at'] as const),
  ...['clientref', 'customid', 'externalid', 'reference'].map((name) => [name, 'client_reference'] as const),
  ...['ttl', 'validity'].map((name) => [name, 'validity_period'] as const),
]) // prettier-ignore
const maxRecipients = 100

const schemas = SendBodySchema.properties as unknown as Readonly<Record<'client_reference', BodySchema>>

const rules: ReadRules = {
  otherNames,
  own: new Map([
    ['to', (_pointer, value) => recipientsFormFaults(value)],
    ['metadata', metadataFaults],
    [
      'client_reference',
      (pointer, value) =>
        schemaFaults(pointer, schemas.client_reference, value, { textFault: echoedTextFault }),
    ],
  ]),
}

/**
 * Returns the members of a body that are valid in form, and the faults of the others. `checkSend` judges the
 * meaning of all valid members (numbers, text, sender), so that one response lists all faults. The reader takes
 * 0.5 µs; a compiled validator takes 0.2 µs, has no error sentences and costs 9 MB.
 */
export const readSendBody = (body: object): { valid: Partial<SendBody>; faults: Fault[] } =>
  readMembers(SendBodySchema as BodySchema, body as Readonly<Record<string, unknown>>, rules)

/** Checks the form of `to` without its numbers, which `readRecipients` checks. */
function recipientsFormFaults(to: unknown): readonly Fault[] {
  const fault = (code: FieldCode, detail: string, pointer = '/to'): Fault => ({ pointer, code, detail })
  if (typeof to === 'string') return []
  if (!Array.isArray(to)) return [fault('wrong_type', 'Must be a number in E.164, or a list of them.')]
  if (to.length === 0) return [fault('too_short', 'Must have at least one recipient.')]
  if (to.length > maxRecipients)
    return [fault('too_many_items', `Must have at most ${maxRecipients} recipients.`)]
  return to.flatMap((item, i) =>
    typeof item === 'string' ? [] : [fault('wrong_type', 'Must be a string.', `/to/${i}`)],
  )
}
