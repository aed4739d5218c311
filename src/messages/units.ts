import { createIds } from '../runtime/ids.ts'
import { claimMessages, type ClaimRequest } from './queue/claim-messages.ts'
import { changeOnDemand, takeChange } from './core/change-number.ts'
import type { SendRequest, SendResult } from './send/send-request.ts'
import { sendMessages } from './send/send-messages.ts'
import { settleOutcomes } from './outcomes/settle-outcomes.ts'
import type { Settlement } from './outcomes/settlement.ts'
import type { ReceiptWord } from './outcomes/receipt-readings.ts'
import { settleReceipts } from './outcomes/settle-receipts.ts'
import type { AccountsOfUnits, Merging, Tx, Units } from '../storage/seam/dialect.ts'
import { together } from '../storage/seam/sets.ts'

const ids = createIds({ now: Date.now })

const latest = (times: readonly number[]): number => times.reduce((most, atMs) => Math.max(most, atMs), 0)

/**
 * The hot units. They run in the thread of the database, and each reads its change number along with its first
 * read. Inputs and results are plain JSON, as small as their callers allow.
 */
export const units = {
  sendMessages: (tx: Tx, requests: readonly SendRequest[]): Promise<SendResult[]> =>
    together(tx, () =>
      sendMessages(tx, requests, takeChange(tx, latest(requests.map(({ createdAt }) => createdAt)))),
    ),
  claim: (
    tx: Tx,
    input: { requests: readonly ClaimRequest[]; nowMs: number; dueMs: number; fence: number; known: number },
  ) => together(tx, () => claimMessages(tx, ids, input, changeOnDemand(tx, input.nowMs))),
  settleOutcomes: (tx: Tx, settlements: readonly Settlement[]) =>
    together(tx, async () => {
      const numbered = takeChange(tx, latest(settlements.map(({ atMs }) => atMs)))
      const messages = await settleOutcomes(tx, settlements, numbered)
      return messages.map((message) => message?.status ?? null)
    }),
  settleReceipts: (tx: Tx, receipts: readonly ReceiptWord[]) =>
    together(tx, async () => {
      const numbered = takeChange(tx, latest(receipts.map(({ atMs }) => atMs)))
      const messages = await settleReceipts(tx, receipts, numbered)
      return messages.map(({ account_id, status }) => ({ accountId: account_id, status }))
    }),
} satisfies Units

export type HotUnits = typeof units

/**
 * The next transaction accepts all sends that arrive while one runs. The weight of a send is its number of
 * rows.
 */
export const merging: Merging<HotUnits> = {
  sendMessages: (requests) => requests.reduce((sum, request) => sum + request.recipients.length, 0),
}

/** Units whose transactions can run at the same time as those of other nodes (docs/decisions/0074-lanes-of-accounts.md). */
export const accountsOf: AccountsOfUnits<HotUnits> = {
  sendMessages: (requests) => requests.map(({ accountId }) => accountId),
  claim: ({ requests }) =>
    // What SIMs have used, and what phones are offered, belongs to their devices.
    requests.some(({ plans, phone }) => plans !== undefined || phone !== undefined)
      ? null
      : requests.map(({ accountId }) => accountId),
  settleOutcomes: (settlements) => settlements.map(({ accountId }) => accountId),
}
