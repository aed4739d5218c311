import { knownNumber } from '../../../messages/core/erased-number.ts'
import type { MessageRow } from '../../../messages/core/message-store.ts'

/** One row of a list of messages: small, because a page can have a hundred thousand rows. */
export interface ListedMessage {
  id: string
  direction: MessageRow['direction']
  status: MessageRow['status']
  final: boolean
  /** The other party; null when the device did not report it, or once it was erased. */
  number: string | null
  /** Own sender, or the number that received the message; null when the device chose. */
  own: string | null
  /** Beginning of the text; null once it was erased. */
  text: string | null
  parts: number
  /** Only own devices carry it, for nothing. */
  isFree: boolean
  charged: number
  deviceId: string | null
  errorCode: string | null
  reference: string | null
  createdAtMs: number
  /** Scheduled time; null for immediately. */
  sendAtMs: number | null
  updatedAtMs: number
}

/** Two lines of the widest list. */
const shownCharacters = 200

/** Returns a stored message as lists show it. */
export function listMessage(row: MessageRow): ListedMessage {
  const [number, own] =
    row.direction === 'outbound'
      ? [knownNumber(row.recipient), row.sender]
      : [row.sender, knownNumber(row.recipient)]
  return {
    id: row.id,
    direction: row.direction,
    status: row.status,
    final: row.finalized_at !== null,
    number,
    own,
    text: row.text === null ? null : beginningOf(row.text),
    parts: row.parts,
    isFree: row.paid_by === 'own_device',
    charged: row.charged,
    deviceId: row.device_id,
    errorCode: row.error_code,
    reference: row.client_reference,
    createdAtMs: row.created_at,
    sendAtMs: row.send_at,
    updatedAtMs: row.updated_at,
  }
}

/** Cuts between code points, so that no surrogate pair is split. */
const beginningOf = (text: string): string =>
  text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters).replace(/[\ud800-\udbff]$/, '')}…`
