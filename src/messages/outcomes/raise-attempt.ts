import { attemptStates } from '../core/attempt-evidence.ts'
import type { StoredAttempt } from '../core/evidence-store.ts'
import type { Settlement } from './settlement.ts'

/** A report on an attempt, and how the attempt stood before and after it. */
export interface Raised {
  settlement: Settlement
  before: StoredAttempt
  after: StoredAttempt
}

const rankOf = (state: StoredAttempt['state']): number =>
  attemptStates.indexOf(state === 'handing_over' ? 'open' : state)

/**
 * Returns an attempt with another report of its device. That it was accepted outranks every refusal and every unknown
 * outcome, whenever it is reported; the most parts that any report names were taken. A repeat changes nothing.
 */
export function raiseAttempt(known: StoredAttempt, said: Settlement): StoredAttempt {
  const apart = rankOf(said.attemptState) - rankOf(known.state)
  // Of two reports that nothing is known of the outcome each may name parts.
  if (apart === 0 && known.state !== 'unknown') return known
  // Of an accepted attempt every part was taken.
  const parts_sent =
    known.state === 'accepted' ? known.parts_sent : Math.max(known.parts_sent, said.partsTaken)
  const ids = said.networkIds.length === 0 ? null : JSON.stringify(said.networkIds)
  if (apart <= 0) {
    const network_ids = known.network_ids ?? ids
    const isMore = parts_sent > known.parts_sent || network_ids !== known.network_ids
    return isMore ? { ...known, parts_sent, network_ids } : known
  }
  return {
    ...known,
    state: said.attemptState,
    parts_sent,
    // The IDs of the answer are those of all parts; a receipt may have revealed others for the same.
    network_ids: ids ?? known.network_ids,
    receipt_expected: said.receiptExpected ? 1 : 0,
    outcome: said.outcome,
    network_code: said.error?.networkCode ?? null,
    ended_at: known.ended_at ?? said.atMs,
  }
}
