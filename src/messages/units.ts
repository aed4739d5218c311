import { createIds } from '../ids.ts'
import { claimMessages, type Want } from './claim-messages.ts'
import { notBelow, readHistoryFloor } from './history-floor.ts'
import type { SendRequest, SendResult } from './send-request.ts'
import { sendMessages } from './send-messages.ts'
import { settleOutcomes, type Settlement } from './settle-outcomes.ts'
import type { ReceiptWord } from './receipt-readings.ts'
import { settleReceipts } from './settle-receipts.ts'
import type { Merging, Tx, Units } from '../storage/dialect.ts'

const ids = createIds({ now: Date.now })

/** The hot units, which run in the thread of the database. Inputs and results are plain JSON, as small as their callers can do with. */
export const units = {
  sendMessages: (tx: Tx, requests: readonly SendRequest[]) => sendInTime(tx, requests),
  claim: async (tx: Tx, input: { wants: readonly Want[]; nowMs: number; dueMs: number; fence: number }) =>
    claimMessages(tx, ids, { ...input, nowMs: await notBelow(tx, input.nowMs) }),
  settleOutcomes: async (tx: Tx, settlements: readonly Settlement[]) =>
    (await settleOutcomes(tx, await inTime(tx, settlements))).map((message) => message?.status ?? null),
  settleReceipts: async (tx: Tx, words: readonly ReceiptWord[]) =>
    (await settleReceipts(tx, await inTime(tx, words))).map(({ account_id, status }) => ({
      accountId: account_id,
      status,
    })),
} satisfies Units

export type HotUnits = typeof units

/** Sends that arrive while a transaction runs are accepted together in the next one; they weigh what they insert. */
export const merging: Merging<HotUnits> = {
  sendMessages: (requests) => requests.reduce((sum, request) => sum + request.recipients.length, 0),
}

/** Those that a page of history has passed by since they were made are to be made anew: their ids tell their time. */
async function sendInTime(tx: Tx, requests: readonly SendRequest[]): Promise<SendResult[]> {
  const floorMs = await readHistoryFloor(tx)
  const isLate = ({ createdAt }: SendRequest): boolean => createdAt < floorMs
  if (!requests.some(isLate)) return sendMessages(tx, requests)
  const results = await sendMessages(
    tx,
    requests.filter((request) => !isLate(request)),
  )
  let next = 0
  return requests.map((request) =>
    isLate(request) ? { kind: 'late', floorMs } : (results[next++] as SendResult),
  )
}

async function inTime<T extends { atMs: number }>(tx: Tx, rows: readonly T[]): Promise<readonly T[]> {
  const floorMs = await readHistoryFloor(tx)
  return rows.every(({ atMs }) => atMs >= floorMs)
    ? rows
    : rows.map((row) => ({ ...row, atMs: Math.max(row.atMs, floorMs) }))
}
