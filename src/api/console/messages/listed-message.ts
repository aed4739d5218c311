import { knownNumber } from '../../../messages/core/erased-number.ts'
import type { MessageRow } from '../../../messages/core/message-store.ts'

/** One row of a list of messages: small, because a page may hold a hundred thousand. */
export interface ListedMessage {
  id: string
  direction: MessageRow['direction']
  status: MessageRow['status']
  final: boolean
  /** The other party; null when a device did not tell, or it was erased. */
  number: string | null
  /** What it was sent under, or the number that it reached; null when the device chose. */
  own: string | null
  /** The beginning; null once it was erased. */
  text: string | null
  parts: number
  charged: number
  deviceId: string | null
  errorCode: string | null
  reference: string | null
  createdAtMs: number
  /** When it is to be sent; null for at once. */
  sendAtMs: number | null
  updatedAtMs: number
}

/** Fills two lines of the widest list. */
const shownCharacters = 200

/** A stored message as lists show it. */
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
    charged: row.charged,
    deviceId: row.device_id,
    errorCode: row.error_code,
    reference: row.client_reference,
    createdAtMs: row.created_at,
    sendAtMs: row.send_at,
    updatedAtMs: row.updated_at,
  }
}

/** Cut between code points, so that no half of a pair is left. */
const beginningOf = (text: string): string =>
  text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters).replace(/[\ud800-\udbff]$/, '')}…`
