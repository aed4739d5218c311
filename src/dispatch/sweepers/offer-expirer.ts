import { claimsOf } from '../../messages/outcomes/open-attempts.ts'
import type { WriteHorizon } from '../../messages/history/history-horizon.ts'
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
import { judgeOutcome } from '../routes/retry-policy.ts'
import { noWord } from '../devices/unreported-offers.ts'

const intervalMs = 30_000
const pageSize = 500
/** Nothing is open any more when a phone's time to report is over, so that the sweep begins a little before. */
const reportsForMs = phoneReportsForMs - 2 * intervalMs

interface OfferExpirerDeps extends SweeperDeps {
  read: Db
  writer: Writer
  metrics: Metrics
  horizon: WriteHorizon
}

/**
 * Ends what phones never spoke of again (P2): three hours after its validity a message is `unconfirmed`, and goes to no other device. Asks
 * for what devices that were disabled still hold.
 */
export const createOfferExpirer = (deps: OfferExpirerDeps): Sweeper =>
  new Sweeper(deps, {
    name: 'offer-expirer',
    intervalMs,
    async sweep() {
      const { read, writer, clock, metrics, horizon, log } = deps
      const nowMs = clock.now()
      await recallOffers(read, writer, nowMs)
      const silent = await readSilentOffers(read, nowMs - reportsForMs, pageSize)
      if (silent.length === 0) return false
      const states = await horizon.hold(nowMs, (timeIn) =>
        writer.write(async (tx) => endSilent(tx, silent, await timeIn(tx))),
      )
      for (const state of states) if (state !== null) metrics.advanced(state.status)
      if (states.length > 0)
        log.warn(
          { messages: states.length },
          'phones did not say what became of messages; their outcome is unknown',
        )
      return silent.length === pageSize
    },
  })

/** What was said of an attempt since it was looked for stands: only those that are still open are ended. */
async function endSilent(
  tx: Tx,
  silent: readonly OfferRow[],
  nowMs: number,
): Promise<(MessageState | null)[]> {
  const attempts = await readAttemptsOf(tx, silent)
  const open = [...attempts.values()].filter(({ state }) => state === 'handing_over')
  const claims = await claimsOf(tx, open)
  const settlements = claims.map((claim) => judgeOutcome({ ...claim, onUnknown: 'stop' }, noWord, nowMs))
  const states = await settleOutcomes(tx, settlements)
  const attemptIds = silent.map((offer) => offer.attempt_id)
  await closeOffers(tx, attemptIds, nowMs)
  return states
}
