import { type Static, Type } from 'typebox'
import { rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import { knownNumber } from '../../messages/core/erased-number.ts'
import { routePayerOf } from '../../messages/core/route-key.ts'
import { messageErrorRule } from '../../messages/core/message-errors.ts'
import { deliveredAtOf, type MessageRow, sentAtOf } from '../../messages/core/message-store.ts'
import type { SendRequest } from '../../messages/send/send-request.ts'
import { instantOrNull, oneOf, orNull } from '../../runtime/schemas.ts'
import { categories, directions, messageStatuses, modes } from '../../storage/tables/column-values.ts'

const instant = (description: string) => Type.String({ format: 'date-time', description })

const CostSchema = Type.Object(
  {
    held: Type.Integer({ description: 'SMS reserved for this message.' }),
    charged: Type.Integer({ description: 'SMS charged; 0 while they are held.' }),
    state: oneOf(
      ['held', 'charged', 'partial', 'released', 'none'],
      '`held` until the outcome is known, then `charged`, `released` or, when only some parts were accepted, `partial`; `none` for inbound.',
    ),
    paid_by: Type.String({
      description:
        '`balance`, or `own_device`: an own device of the account carries the message, and it costs nothing; `held` and `charged` then count what it carries. With a `fallback`, `balance` until an own device has sent it. An open list.',
    }),
  },
  { description: 'Cost in SMS.' },
)

const MessageErrorSchema = Type.Unsafe<{
  code: string
  message: string
  retryable: boolean
  network_code: string | null
} | null>({
  type: ['object', 'null'],
  description: 'Reason for the status; null without an error.',
  required: ['code', 'message', 'retryable', 'network_code'],
  properties: {
    code: { type: 'string', description: 'Error code; an open list.' },
    message: { type: 'string', description: 'Likely cause and what to do, for people.' },
    retryable: {
      type: 'boolean',
      description:
        'True when the same message can succeed if it is sent again, without the risk of a duplicate.',
    },
    network_code: {
      type: ['string', 'null'],
      description: 'Original response of the device or network.',
    },
  },
})

/** All members of a message, in the order of the response. */
export const MessageSchema = Type.Object(
  {
    object: oneOf(['message'], 'Type of the object.'),
    id: Type.String({ description: 'Message ID.' }),
    send_id: orNull<string>('string', 'Send that the message belongs to; null for inbound.'),
    mode: oneOf(modes, 'Mode of the key.'),
    direction: oneOf(directions, '`outbound`: sent by you; `inbound`: received by one of your devices.'),
    status: oneOf(
      messageStatuses,
      'Status of the message. Each status is backed by evidence from the network.',
    ),
    final: Type.Boolean({
      description: 'True when only a correction (within 7 days) can change the status.',
    }),
    receipt_expected: orNull<boolean>(
      'boolean',
      'True when the network will report whether the message arrived; null until a device has it.',
    ),
    to: orNull<string>(
      'string',
      'Recipient in E.164; null when the device did not report the receiving number, and once it was erased.',
    ),
    country: orNull<string>(
      'string',
      'Country of the other party, ISO 3166-1 alpha-2; null when the number has none.',
    ),
    from: orNull<string>('string', 'Sender; null when the device chooses.'),
    device_id: orNull<string>('string', 'Current or last device; null while the message is queued.'),
    category: oneOf(categories, 'Decides priority, default validity period and redaction.'),
    text: orNull<string>('string', 'Text as sent; null once it was erased.'),
    text_redacted: Type.Boolean({ description: 'True when the text was erased.' }),
    encoding: oneOf(['gsm7', 'ucs2'], 'Encoding of the whole text.'),
    units: Type.Integer({ description: 'Characters used: septets (gsm7) or UTF-16 code units (ucs2).' }),
    parts: Type.Integer({ description: 'Number of parts. Each part costs one SMS; see `cost.paid_by`.' }),
    parts_sent: Type.Integer({ description: 'Parts that the network is known to have accepted.' }),
    cost: CostSchema,
    fallback: orNull<string>(
      'string',
      '`shared`: own devices of the account are free, and shared devices may carry the message as well, for the balance; null without. An open list.',
    ),
    error: MessageErrorSchema,
    attempts: Type.Integer({ description: 'Number of submissions to a device.' }),
    possible_duplicate: Type.Boolean({
      description:
        'True when the message was sent again after an unknown outcome (`on_unknown: resend_once`).',
    }),
    client_reference: orNull<string>('string', 'Your reference, returned unchanged.'),
    metadata: Type.Record(Type.String(), Type.String(), {
      description: 'Your metadata, returned unchanged.',
    }),
    created_at: instant('Time when the message was accepted, or received by this service.'),
    received_at: instantOrNull(
      'Time when the network received an inbound message, by its own clock; null when the device does not report it, and for outbound.',
    ),
    send_at: instantOrNull('Scheduled time; null for immediately.'),
    expires_at: instantOrNull('End of the validity period. The message is never submitted later.'),
    sent_at: instantOrNull(
      'Time when the network had accepted all parts: by the clock of the sending phone, otherwise when the device reported it.',
    ),
    delivered_at: instantOrNull(
      'Time of delivery to the handset: by the clock of the sending phone, otherwise when the network reported it.',
    ),
    finalized_at: instantOrNull('Time when the status became final. A correction does not change it.'),
    updated_at: instant('Time of the last change. Erasing the text does not count.'),
  },
  { description: 'One SMS to or from one number.' },
)

export type MessageView = Static<typeof MessageSchema>

const noMetadata: Readonly<Record<string, string>> = Object.freeze({})

/** Renders a stored message for the API. Runs at least 10,000 times a second: one literal, no copies. */
export function renderMessage(row: MessageRow): MessageView {
  const createdAt = rfc3339(row.created_at)
  return {
    object: 'message',
    id: row.id,
    send_id: row.send_id,
    mode: row.mode,
    direction: row.direction,
    status: row.status,
    final: row.finalized_at !== null,
    receipt_expected: row.receipt_expected === null ? null : row.receipt_expected === 1,
    to: knownNumber(row.recipient),
    country: row.country,
    from: row.sender,
    device_id: row.device_id,
    category: row.category,
    text: row.text,
    text_redacted: row.text_redacted === 1,
    encoding: row.encoding,
    units: row.units,
    parts: row.parts,
    parts_sent: row.parts_sent,
    cost: { held: row.held, charged: row.charged, state: row.cost_state, paid_by: row.paid_by },
    fallback: row.fallback,
    error: row.error_code === null ? null : renderError(row.error_code, row.network_code),
    attempts: row.attempts,
    possible_duplicate: row.possible_duplicate === 1,
    client_reference: row.client_reference,
    metadata: row.metadata === '{}' ? noMetadata : (JSON.parse(row.metadata) as Record<string, string>),
    created_at: createdAt,
    received_at: rfc3339OrNull(row.received_at),
    send_at: rfc3339OrNull(row.send_at),
    expires_at: rfc3339OrNull(row.expires_at),
    sent_at: rfc3339OrNull(sentAtOf(row)),
    delivered_at: rfc3339OrNull(deliveredAtOf(row)),
    finalized_at: rfc3339OrNull(row.finalized_at),
    updated_at: row.updated_at === row.created_at ? createdAt : rfc3339(row.updated_at),
  }
}

function renderError(code: string, networkCode: string | null): MessageView['error'] {
  const { summary, retryable } = messageErrorRule(code)
  return { code, message: summary, retryable, network_code: networkCode }
}

/**
 * Renders the messages of an accepted send, in the order of its recipients: the same as `renderMessage` of
 * the stored rows.
 */
export function renderAccepted(send: SendRequest): MessageView[] {
  const createdAt = rfc3339(send.createdAt)
  const expiresAt = rfc3339(send.expiresAt)
  const metadata = send.metadata === '{}' ? noMetadata : (JSON.parse(send.metadata) as Record<string, string>)
  return send.recipients.map(({ to, country }, i) => ({
    object: 'message',
    id: send.messageIds[i] as string,
    send_id: send.sendId,
    mode: send.mode,
    direction: 'outbound',
    status: send.sendAt === undefined ? 'queued' : 'scheduled',
    final: false,
    receipt_expected: null,
    to,
    country,
    from: send.from,
    device_id: null,
    category: send.category,
    text: send.text,
    text_redacted: false,
    encoding: send.encoding,
    units: send.units,
    parts: send.parts,
    parts_sent: 0,
    cost: { held: send.parts, charged: 0, state: 'held', paid_by: send.paidBy ?? 'balance' },
    fallback: send.fallback ?? null,
    error: null,
    attempts: 0,
    possible_duplicate: false,
    client_reference: send.clientReference,
    metadata,
    created_at: createdAt,
    received_at: null,
    send_at: rfc3339OrNull(send.sendAt),
    expires_at: expiresAt,
    sent_at: null,
    delivered_at: null,
    finalized_at: null,
    updated_at: createdAt,
  }))
}

/**
 * Returns a message as it was when it was accepted, to be sent at `sendAtMs` or immediately, for the response
 * to a repeated Idempotency-Key. All later changes are undone, except an erased text.
 */
export const asAccepted = (row: MessageRow, sendAtMs: number | null): MessageRow => ({
  ...row,
  status: sendAtMs === null ? 'queued' : 'scheduled',
  send_at: sendAtMs,
  // Rescheduling a message moves the end of its validity period by the same time.
  expires_at: row.expires_at === null ? null : row.expires_at - (row.send_at ?? 0) + (sendAtMs ?? 0),
  receipt_expected: null,
  device_id: null,
  parts_sent: 0,
  charged: 0,
  cost_state: 'held',
  paid_by: routePayerOf(row),
  error_code: null,
  network_code: null,
  attempts: 0,
  possible_duplicate: 0,
  corrected: 0,
  sequence: 1,
  sent_at: null,
  delivered_at: null,
  reported_sent_at: null,
  reported_delivered_at: null,
  finalized_at: null,
  settled_at: null,
  updated_at: row.created_at,
})
