import type { Outcome } from '../../connectors/connector.ts'
import type { Change } from '../../messages/core/change-number.ts'
import { claimsOf } from '../../messages/outcomes/open-claims.ts'
import { settleOutcomes } from '../../messages/outcomes/settle-outcomes.ts'
import { retractDeliveries } from '../../messages/outcomes/retract-deliveries.ts'
import { settleReceipts } from '../../messages/outcomes/settle-receipts.ts'
import { findOffers, markOffers, readAttemptsOf } from '../../messages/phones/phone-offers.ts'
import { findOptedOut } from '../../messages/core/read-opt-outs.ts'
import type { Claimed } from '../../messages/queue/claim-messages.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { MessageStatus } from '../../storage/tables/schema.ts'
import type { PhoneReport } from './phone-report.ts'
import { ReportMerge, type ReportTerms } from './report-merge.ts'

/** The result of an attempt that was reported on. */
export interface Reported {
  deviceId: string
  outcome: Outcome
  status: MessageStatus | null
  claimed: Claimed
  /** The route on which its message continues if it is requeued. */
  routeKey: string
}

/**
 * Stores what phones report, as one unit: their progress, and what follows for messages and balances. A
 * phone's message is never resent on a guess. Reports of attempts that neither the device nor its
 * registration was given are ignored. Returns for each report whether it changed anything, null if it was
 * ignored.
 */
export async function settleReports(
  tx: Tx,
  unit: Change,
  reports: readonly PhoneReport[],
  terms: Omit<ReportTerms, 'nowMs'>,
): Promise<{ reported: Reported[]; statuses: MessageStatus[]; haveChanged: (boolean | null)[] }> {
  const times = { ...terms, nowMs: unit.nowMs }
  const taken = Promise.resolve(unit)
  const offers = new Map(
    (await findOffers(tx, [...new Set(reports.map((report) => report.attemptId))])).map((row) => [
      row.attempt_id,
      row,
    ]),
  )
  const attempts = await readAttemptsOf(tx, [...offers.values()])
  const claims = new Map(
    (await claimsOf(tx, [...attempts.values()])).map((claim) => [claim.attemptId, claim]),
  )
  const toCancel = [...claims.values()].filter(({ attemptId }) => offers.get(attemptId)?.recall === 'cancel')
  const optedOut = await findOptedOut(tx, toCancel.map(addressOf), times.nowMs)
  const merging = new ReportMerge(times)
  const haveChanged = reports.map((report) => {
    const offer = offers.get(report.attemptId)
    const attempt = attempts.get(report.attemptId)
    const claimed = claims.get(report.attemptId)
    // Retention may have removed the message.
    if (
      offer === undefined ||
      attempt === undefined ||
      claimed === undefined ||
      !(offer.device_id === report.deviceId || offer.phone_id === report.phoneId)
    )
      return null
    const isOptedOut = optedOut.has(claimed.messageId)
    return merging.take(report, { offer, attempt, claimed: { ...claimed, onUnknown: 'stop' }, isOptedOut })
  })
  const states = await settleOutcomes(
    tx,
    merging.settlements.map(({ settlement }) => settlement),
    taken,
  )
  const moved = [
    ...(await settleReceipts(tx, merging.receipts, taken)),
    ...(await retractDeliveries(tx, unit, merging.retractions)),
  ]
  await markOffers(tx, merging.marks)
  const reported = merging.settlements.map(({ settlement, outcome, claimed }, i) => ({
    deviceId: settlement.deviceId,
    outcome,
    status: states[i]?.status ?? null,
    claimed,
    routeKey: settlement.requeue?.routeKey ?? settlement.position.route_key,
  }))
  const statuses = [...states, ...moved].flatMap((state) => state?.status ?? [])
  return { reported, statuses, haveChanged }
}

const addressOf = ({ accountId, mode, messageId, to }: Claimed) => ({
  account_id: accountId,
  mode,
  id: messageId,
  recipient: to,
})
