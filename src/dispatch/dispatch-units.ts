import type { Claimed, Want } from '../messages/claim-messages.ts'
import type { ReceiptWord } from '../messages/receipt-readings.ts'
import type { Settlement } from '../messages/settle-outcomes.ts'

/** The hot units, run in the next transaction; each settles after the flush. */
export interface DispatchUnits {
  claim(input: {
    wants: readonly Want[]
    nowMs: number
    dueMs: number
    fence: number
  }): Promise<{ claimed: Claimed[]; counts: number[] }>
  settleOutcomes(settlements: readonly Settlement[]): Promise<(string | null)[]>
  settleReceipts(words: readonly ReceiptWord[]): Promise<{ accountId: string; status: string }[]>
}
