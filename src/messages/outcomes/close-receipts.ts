import type { Tx } from '../../storage/seam/dialect.ts'
import type { Change } from '../core/change-number.ts'
import { type MessageKey, type MessageState, readStates } from '../core/message-store.ts'
import { reportParts } from './report-parts.ts'

/** A part whose receipt did not arrive in time, or whose ID the network has given to another message. */
export interface LatePart extends MessageKey {
  networkId: string
  deviceId: string
  attemptNumber: number
  wireParts: number
}

/**
 * Stops waiting for receipts: their parts are lost, and messages that wait for them become `unconfirmed`, while their
 * charge stays. The rows stay until the time for corrections has passed, so that a late receipt still finds its message.
 */
export async function closeReceipts(
  tx: Tx,
  unit: Change,
  late: readonly LatePart[],
): Promise<MessageState[]> {
  const states = new Map((await readStates(tx, late)).map((state) => [state.id, state]))
  const lost = late.flatMap(({ networkId, deviceId, messageId, attemptNumber, wireParts }) => {
    const message = states.get(messageId)
    if (message === undefined) return []
    const word = { networkId, deviceId, result: 'lost', code: 'receipt_missing', networkCode: null, atMs: unit.nowMs } as const // prettier-ignore
    const part = {
      network_id: networkId,
      expected_by: deviceId,
      wire_parts: wireParts,
      attempt_number: attemptNumber,
    }
    return [{ word, row: { ...message, ...part, expected_until: null } }]
  })
  return reportParts(tx, unit, lost)
}
