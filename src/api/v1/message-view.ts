import { type Static, Type } from 'typebox'
import { rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import { knownNumber } from '../../messages/core/erased-number.ts'
import { messageErrorRule } from '../../messages/core/message-errors.ts'
import { deliveredAtOf, type MessageRow, sentAtOf } from '../../messages/core/message-store.ts'
import type { SendRequest } from '../../messages/send/send-request.ts'
import { instantOrNull, oneOf, orNull } from '../../runtime/schemas.ts'
import { categories, directions, messageStatuses, modes } from '../../storage/tables/column-values.ts'

const instant = (description: string) => Type.String({ format: 'date-time', description })

const CostSchema = Type.Object(
  {
    held: Type.Integer({ description: 'SMS that were reserved for this message.' }),
    charged: Type.Integer({ description: 'SMS that it cost in the end; 0 while they are held.' }),
    state: oneOf(
      ['held', 'charged', 'partial', 'released', 'none'],
      '`held` until the outcome is known, then `charged`, `released` or, when only some parts were taken, `partial`; `none` for inbound.',
    ),
  },
  { description: 'What it costs, in SMS.' },
)

const MessageErrorSchema = Type.Unsafe<{
  code: string
  message: string
  retryable: boolean
  network_code: string | null
} | null>({
  type: ['object', 'null'],
  description: 'Why it ended as it did; null when nothing went wrong.',
  required: ['code', 'message', 'retryable', 'network_code'],
  properties: {
    code: { type: 'string', description: 'Stable name of the cause, from an open list.' },
    message: { type: 'string', description: 'The likely cause and what to do, for people.' },
    retryable: {
      type: 'boolean',
      description: 'Whether the same message may succeed when sent again, with no risk of a duplicate.',
    },
    network_code: {
      type: ['string', 'null'],
      description: 'What the device or network said, word for word.',
    },
  },
})

/** Every member of a message, in the order in which it is shown. */
export const MessageSchema = Type.Object(
  {
    object: oneOf(['message'], 'What this object is.'),
    id: Type.String({ description: 'The id of the message.' }),
    send_id: orNull<string>('string', 'The send that it belongs to; null for inbound.'),
    mode: oneOf(modes, 'Decided by the key.'),
    direction: oneOf(directions, '`outbound`: sent by you; `inbound`: reached one of your devices.'),
    status: oneOf(messageStatuses, 'Where it stands; a statement of evidence, never a guess.'),
    final: Type.Boolean({ description: 'Whether nothing but a correction (within 7 days) can follow.' }),
    receipt_expected: orNull<boolean>(
      'boolean',
      'Whether the network will say if it arrived; null until a device has it.',
    ),
    to: orNull<string>(
      'string',
      'The recipient, E.164; null when a device did not tell on which number a message came in, and once it was erased.',
    ),
    country: orNull<string>(
      'string',
      'Country of the other party, ISO 3166-1 alpha-2; null when the number does not tell.',
    ),
    from: orNull<string>('string', 'The sender; null when the device chooses.'),
    device_id: orNull<string>('string', 'The device that has or had it; null while it waits.'),
    category: oneOf(categories, 'Sets priority, default validity and redaction.'),
    text: orNull<string>('string', 'The text as it is sent; null once it was erased.'),
    text_redacted: Type.Boolean({ description: 'Whether the text was erased.' }),
    encoding: oneOf(['gsm7', 'ucs2'], 'The alphabet used for the whole text.'),
    units: Type.Integer({ description: 'Length in septets (gsm7) or UTF-16 units (ucs2).' }),
    parts: Type.Integer({ description: 'Parts, each of which costs one SMS.' }),
    parts_sent: Type.Integer({ description: 'Parts that the network is known to have taken.' }),
    cost: CostSchema,
    error: MessageErrorSchema,
    attempts: Type.Integer({ description: 'How often it was given to a device.' }),
    possible_duplicate: Type.Boolean({
      description: 'Whether it went again after an unknown outcome (`on_unknown: resend_once`).',
    }),
    client_reference: orNull<string>('string', 'Yours, echoed.'),
    metadata: Type.Record(Type.String(), Type.String(), { description: 'Yours, echoed.' }),
    created_at: instant('When it was accepted, or when it reached this service.'),
    received_at: instantOrNull(
      'When the network had an inbound message, by its own clock; null where the device does not tell, and for outbound.',
    ),
    send_at: instantOrNull('When it is to be sent; null for at once.'),
    expires_at: instantOrNull('When its validity ends; it is never handed over later.'),
    sent_at: instantOrNull(
      'When the network had taken every part: by the clock of the phone that sent it, else when the device said so.',
    ),
    delivered_at: instantOrNull(
      'When the handset had it: by the clock of the phone that sent it, else when the network said so.',
    ),
    finalized_at: instantOrNull('When it became final; a correction does not move it.'),
    updated_at: instant('The last change; erasing the text is none.'),
  },
  { description: 'One SMS to or from one number.' },
)

export type MessageView = Static<typeof MessageSchema>

const nothing: Readonly<Record<string, string>> = Object.freeze({})

/** A stored message as the interface shows it. Runs 10,000 times a second and more: one literal, no copies. */
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
    cost: { held: row.held, charged: row.charged, state: row.cost_state },
    error: row.error_code === null ? null : renderError(row.error_code, row.network_code),
    attempts: row.attempts,
    possible_duplicate: row.possible_duplicate === 1,
    client_reference: row.client_reference,
    metadata: row.metadata === '{}' ? nothing : (JSON.parse(row.metadata) as Record<string, string>),
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
  const { says, retryable } = messageErrorRule(code)
  return { code, message: says, retryable, network_code: networkCode }
}

/** The messages of a send that was just accepted, in the order of its recipients: what `renderMessage` would say of the rows stored. */
export function renderAccepted(send: SendRequest): MessageView[] {
  const createdAt = rfc3339(send.createdAt)
  const expiresAt = rfc3339(send.expiresAt)
  const metadata = send.metadata === '{}' ? nothing : (JSON.parse(send.metadata) as Record<string, string>)
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
    cost: { held: send.parts, charged: 0, state: 'held' },
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
 * A message as it was when it was accepted, to be sent at `sendAtMs` or at once, for the answer to a repeated Idempotency-Key: whatever has moved
 * since is taken back, but for an erased text.
 */
export const asAccepted = (row: MessageRow, sendAtMs: number | null): MessageRow => ({
  ...row,
  status: sendAtMs === null ? 'queued' : 'scheduled',
  send_at: sendAtMs,
  // Moving a message moves the end of its validity by as much.
  expires_at: row.expires_at === null ? null : row.expires_at - (row.send_at ?? 0) + (sendAtMs ?? 0),
  receipt_expected: null,
  device_id: null,
  parts_sent: 0,
  charged: 0,
  cost_state: 'held',
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
