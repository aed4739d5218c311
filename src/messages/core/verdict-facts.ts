import type { StoredAttempt } from './evidence-store.ts'
import type { Verdict } from './verdict.ts'

/** What a move by evidence writes besides the status: who carried the message, and what was taken of it. */
export interface VerdictFacts {
  partsTaken: number
  /** The attempt whose device pays for what is charged. */
  attemptNumber?: number
  receiptExpected?: boolean
  deviceId?: string
}

/** Returns what the attempts of a message of `parts` parts say in addition to its verdict. */
export function factsOf(verdict: Verdict, parts: number, attempts: readonly StoredAttempt[]): VerdictFacts {
  const { status, charge, attempt } = verdict
  const taken = attempts.reduce((most, { parts_sent }) => Math.max(most, parts_sent), 0)
  const carrier = attempts.find(({ number }) => number === attempt?.number)
  // Who took what is charged pays for it: of equal ones the first.
  const payer =
    charge === 'all' ? attempt?.number : attempts.find(({ parts_sent }) => parts_sent === taken)?.number
  return {
    partsTaken: status === 'delivered' || attempt?.state === 'accepted' ? parts : taken,
    ...(payer !== undefined && { attemptNumber: payer }),
    ...(attempt !== null && { receiptExpected: attempt.receipts === 'all' }),
    ...(carrier !== undefined && { deviceId: carrier.device_id }),
  }
}
