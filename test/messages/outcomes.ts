import type { Outcome } from '../../src/connectors/connector.ts'

/** All parts taken, each under an ID; receipts follow. */
export const accepted = (...networkIds: string[]): Extract<Outcome, { kind: 'accepted' }> => ({
  kind: 'accepted',
  networkIds,
  receiptExpected: true,
})

/** The answer was lost; the parts with these IDs were taken before. */
export const unknown = (...networkIds: string[]): Outcome => ({
  kind: 'unknown',
  networkIds,
  partsTaken: networkIds.length,
  detail: 'no answer',
})
