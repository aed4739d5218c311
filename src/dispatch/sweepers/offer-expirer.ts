import { claimsOf } from '../../messages/outcomes/open-claims.ts'
import { type Change, takeChange } from '../../messages/core/change-number.ts'
import type { MessageState } from '../../messages/core/message-store.ts'
import { type OfferRow, readAttemptsOf } from '../../messages/phones/phone-offers.ts'
import {
  closeOffers,
  phoneReportsForMs,
  readSilentOffers,
  recallOffers,
} from '../../messages/phones/phone-recalls.ts'
import { settleOutcomes } from '../../messages/outcomes/settle-outcomes.ts'
import type { Metrics } from '../../process/metrics.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'
import { judgeOutcome } from '../outcomes/retry-policy.ts'
import { noReport } from '../devices/unreported-offers.ts'

const intervalMs = 30_000
const pageSize = 500
/** Nothing is open when a phone's time to report is over, so the sweep begins a little earlier. */
const reportsForMs = phoneReportsForMs - 2 * intervalMs

interface OfferExpirerDeps extends SweeperDeps {
  read: Db
  writer: Writer
  metrics: Metrics
}

/**
 * Ends offers that phones never reported on (P2): three hours after its validity a message becomes
 * `unconfirmed`, and no other device sends it. Recalls what disabled devices still hold.
 */
export const createOfferExpirer = (deps: OfferExpirerDeps): Sweeper =>
  new Sweeper(deps, {
    name: 'offer-expirer',
    intervalMs,
    async sweep() {
      const { read, writer, clock, metrics, log } = deps
      const nowMs = clock.now()
      await recallOffers(read, writer, nowMs)
      const silent = await readSilentOffers(read, nowMs - reportsForMs, pageSize)
      if (silent.length === 0) return false
      const states = await writer.write(async (tx) => endSilent(tx, await takeChange(tx, nowMs), silent))
      for (const state of states) if (state !== null) metrics.advanced(state.status)
      if (states.length > 0)
        log.warn(
          { messages: states.length },
          'phones did not report on messages in time; their outcome is unknown',
        )
      return silent.length === pageSize
    },
  })

/** What was reported since the read is kept: only attempts that are still open are ended. */
async function endSilent(
  tx: Tx,
  unit: Change,
  silent: readonly OfferRow[],
): Promise<(MessageState | null)[]> {
  const attempts = await readAttemptsOf(tx, silent)
  const open = [...attempts.values()].filter(({ state }) => state === 'handing_over')
  const claims = await claimsOf(tx, open)
  const settlements = claims.map((claim) =>
    judgeOutcome({ ...claim, onUnknown: 'stop' }, noReport, unit.nowMs),
  )
  const states = await settleOutcomes(tx, settlements, Promise.resolve(unit))
  const attemptIds = silent.map((offer) => offer.attempt_id)
  await closeOffers(tx, attemptIds, unit.nowMs)
  return states
}
