import type { Tx } from '../../storage/seam/dialect.ts'
import { updateRows } from '../../storage/seam/sets.ts'
import { placeInDoubt } from './doubtful-parts.ts'
import type { MessageState } from '../core/message-store.ts'
import { nameOfPart } from './receipt-readings.ts'
import { expectUnderIds } from './recycled-ids.ts'
import type { Settlement } from './settlement.ts'

/** What is known about these outcomes from elsewhere. */
interface Known {
  /** The messages after their move, or those that wait for receipts; null or absent for mere evidence. */
  moved: ReadonlyMap<Settlement, MessageState | null>
  heard: ReadonlySet<string>
  nowMs: number
}

/**
 * Records the receipts that accepted parts, and parts that may have been accepted, can still get. A final
 * message does not wait for them, but a late receipt can correct it. `heard` names the parts whose receipts
 * have arrived (`nameOfPart`).
 */
export async function expectReceipts(
  tx: Tx,
  settlements: readonly Settlement[],
  { moved, heard, nowMs }: Known,
): Promise<void> {
  const rows = settlements.flatMap((settlement) => {
    const message = moved.get(settlement) ?? null
    const places = placesOf(settlement, message)
    const isHeard = settlement.receiptExpected || settlement.failuresTold === true
    const told = isHeard ? settlement.networkIds : []
    return [...told, ...places].map((networkId) => ({
      network_id: networkId,
      device_id: settlement.deviceId,
      account_id: settlement.accountId,
      mode: settlement.mode,
      message_id: settlement.messageId,
      attempt_number: settlement.attemptNumber,
      wire_parts: wirePartsOf(settlement, places.length),
      sent_at: message?.sent_at ?? settlement.atMs,
      closed_at: message?.status === 'sent' && settlement.receiptExpected ? null : settlement.atMs,
    }))
  })
  const known = new Set([
    ...heard,
    ...settlements.flatMap(({ knownIds = [], deviceId, messageId, attemptNumber }) =>
      knownIds.map((network_id) =>
        nameOfPart({ network_id, device_id: deviceId, message_id: messageId, attempt_number: attemptNumber }),
      ),
    ),
  ])
  const isKnown = (row: (typeof rows)[number]) => known.has(nameOfPart(row))
  if (known.size > 0) await updateRows(tx, 'receipts_expected', expectedKey, rows.filter(isKnown))
  await expectUnderIds(tx, known.size === 0 ? rows : rows.filter((row) => !isKnown(row)), nowMs)
}

/** Only of this attempt: an ID may have moved to another one since. */
const expectedKey = ['network_id', 'device_id', 'account_id', 'mode', 'message_id', 'attempt_number'] as const

/**
 * Returns how many receipts mean that every part arrived; 0 if a part was rejected, or has no ID that a
 * receipt could name.
 */
function wirePartsOf({ trigger, networkIds, inDoubt }: Settlement, places: number): number {
  if (trigger === 'accepted') return networkIds.length
  if (inDoubt === undefined || trigger === 'partly_refused') return 0
  return networkIds.length + places >= inDoubt.wireParts ? inDoubt.wireParts : 0
}

/**
 * Returns none if the message was not moved: then more was known about this attempt, or its message is final.
 */
const placesOf = ({ inDoubt }: Settlement, message: MessageState | null): string[] =>
  inDoubt === undefined || message === null
    ? []
    : inDoubt.parts.map((part) => placeInDoubt(message.recipient, inDoubt.attemptId, part))
