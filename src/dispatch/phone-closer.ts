import { claimsOf } from '../messages/open-attempts.ts'
import type { WriteHorizon } from '../messages/history-horizon.ts'
import { readAttemptsOf } from '../messages/phone-offers.ts'
import { closeOffers, readSilentOffers, recallOffers } from '../messages/phone-recalls.ts'
import { settleOutcomes } from '../messages/settle-outcomes.ts'
import type { Metrics } from '../metrics.ts'
import type { Db } from '../storage/dialect.ts'
import type { Writer } from '../storage/writer.ts'
import { Janitor, type JanitorDeps } from './janitor.ts'
import { judgeOutcome } from './retry-policy.ts'

const intervalMs = 30_000
const pageSize = 500
/** A phone tries to report for 2 h 50 min; three hours after its validity nothing is open any more, so that the sweep begins a little before. */
const reportsForMs = 3 * 3_600_000 - 2 * intervalMs

interface PhoneCloserDeps extends JanitorDeps {
  read: Db
  writer: Writer
  metrics: Metrics
  horizon: WriteHorizon
}

const noWord = {
  kind: 'unknown',
  networkIds: [],
  partsTaken: 0,
  detail: 'The phone did not say what became of it.',
} as const

/**
 * Ends what phones never spoke of again (P2): three hours after its validity a message is `unconfirmed`, and goes to no other device. Asks
 * for what devices that were disabled still hold.
 */
export const createPhoneCloser = (deps: PhoneCloserDeps): Janitor =>
  new Janitor(deps, {
    name: 'phone-closer',
    intervalMs,
    async sweep() {
      const { read, writer, clock, metrics, horizon, log } = deps
      const nowMs = clock.now()
      await recallOffers(read, writer, nowMs)
      const silent = await readSilentOffers(read, nowMs - reportsForMs, pageSize)
      if (silent.length === 0) return false
      const attempts = await readAttemptsOf(read, silent)
      const open = [...attempts.values()].filter(({ state }) => state === 'handing_over')
      const claims = await claimsOf(read, open)
      const settlements = claims.map((claim) => judgeOutcome({ ...claim, onUnknown: 'stop' }, noWord, nowMs))
      const states = await horizon.hold(nowMs, () =>
        writer.write(async (tx) => {
          const settled = await settleOutcomes(tx, settlements)
          await closeOffers(
            tx,
            silent.map((offer) => offer.attempt_id),
            nowMs,
          )
          return settled
        }),
      )
      for (const state of states) if (state !== null) metrics.advanced(state.status)
      if (settlements.length > 0)
        log.warn(
          { messages: settlements.length },
          'phones did not say what became of messages; their outcome is unknown',
        )
      return silent.length === pageSize
    },
  })
