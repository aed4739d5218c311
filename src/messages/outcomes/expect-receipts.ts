import type { Tx } from '../../storage/seam/dialect.ts'
import { updateRows } from '../../storage/seam/sets.ts'
import { placeInDoubt } from './doubtful-parts.ts'
import type { MessageState } from '../core/message-store.ts'
import { nameOfPart } from './receipt-readings.ts'
import { expectUnderIds } from './recycled-ids.ts'
import type { Settlement } from './settlement.ts'

/** What is known of these ends beside themselves. */
interface Known {
  /** The messages as they moved them, or wait for their receipts; null or none for evidence alone. */
  moved: ReadonlyMap<Settlement, MessageState | null>
  heard: ReadonlySet<string>
  nowMs: number
}

/**
 * Parts that were taken, or may have been, may still be reported on. Of a message that is final already nobody waits; a late word may correct it. `heard`
 * names the parts of which receipts came already (`nameOfPart`).
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

/** Of this attempt alone: an id may have gone to another since. */
const expectedKey = ['network_id', 'device_id', 'account_id', 'mode', 'message_id', 'attempt_number'] as const

/** How many receipts mean that every part arrived; 0 where a part was refused, or has no id by which to be reported on. */
function wirePartsOf({ event, networkIds, inDoubt }: Settlement, places: number): number {
  if (event === 'accepted') return networkIds.length
  if (inDoubt === undefined || event === 'partly_refused') return 0
  return networkIds.length + places >= inDoubt.wireParts ? inDoubt.wireParts : 0
}

/** None where the message was not moved: then more was known of this attempt before, or its message is done. */
const placesOf = ({ inDoubt }: Settlement, message: MessageState | null): string[] =>
  inDoubt === undefined || message === null
    ? []
    : inDoubt.parts.map((part) => placeInDoubt(message.recipient, inDoubt.attemptId, part))
