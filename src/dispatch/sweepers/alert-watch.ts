import type { AlertRule } from '../../alerts/condition.ts'
import { decideAlerts } from '../../alerts/decide-alerts.ts'
import { disabledEndpoints } from '../../alerts/disabled-endpoints.ts'
import { endingCertificate } from '../../alerts/ending-certificate.ts'
import { expiringKeys } from '../../alerts/expiring-keys.ts'
import { lostCanaries } from '../../alerts/lost-canaries.ts'
import { lowBalances } from '../../alerts/low-balances.ts'
import { offlineDevices } from '../../alerts/offline-devices.ts'
import { pausedAccounts } from '../../alerts/paused-accounts.ts'
import { planLimits } from '../../alerts/plan-limits.ts'
import { openKeys, readKnownAlerts, recordAlerts } from '../../alerts/record-alerts.ts'
import { strandedMessages } from '../../alerts/stranded-messages.ts'
import { unusualFailures } from '../../alerts/unusual-failures.ts'
import { realKinds } from '../../connectors/registry.ts'
import { minuteMs } from '../../runtime/clock.ts'
import type { Config } from '../../config.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

export interface AlertWatchDeps extends SweeperDeps {
  read: Db
  writer: Writer
  ids: Ids
  config: Pick<
    Config,
    | 'alertOfflineMinutes'
    | 'alertCoolDownMinutes'
    | 'alertFailures'
    | 'alertKeyDays'
    | 'webhookDisableDays'
    | 'smtpUrl'
  >
}

const intervalMs = 10_000

/** The rules by which people are notified. */
const rulesOf = ({ config }: AlertWatchDeps): readonly AlertRule[] => [
  offlineDevices(config.alertOfflineMinutes * minuteMs),
  lowBalances,
  disabledEndpoints(config.webhookDisableDays),
  pausedAccounts,
  expiringKeys(config.alertKeyDays),
  endingCertificate,
  unusualFailures(config.alertFailures),
  strandedMessages(realKinds),
  planLimits,
  lostCanaries,
]

/**
 * Checks whether an alert begins or ends, and records it. The state is only in the database, so that neither
 * a restart nor another node that takes over reports it again.
 */
export function createAlertWatch(deps: AlertWatchDeps): Sweeper {
  const rules = rulesOf(deps).map((rule) => ({ rule, dueMs: Number.NEGATIVE_INFINITY }))
  async function sweep(): Promise<boolean> {
    for (const entry of rules) {
      const elapsedMs = deps.clock.monotonicMs()
      if (elapsedMs < entry.dueMs) continue
      try {
        await look(deps, entry.rule)
        entry.dueMs = elapsedMs + entry.rule.everyMs
      } catch (error) {
        // The rules after it are checked anyway.
        deps.log.error({ err: error, alerts: entry.rule.kinds }, 'failed to check for alerts; retrying')
      }
    }
    return false
  }
  return new Sweeper(deps, { name: 'alert-watch', intervalMs, sweep })
}

const none: ReadonlySet<string> = new Set()

async function look(deps: AlertWatchDeps, rule: AlertRule): Promise<void> {
  const { read, writer, clock, config, log } = deps
  const times = { nowMs: clock.now(), coolDownMs: config.alertCoolDownMinutes * minuteMs }
  const known = await readKnownAlerts(read, rule.kinds, times)
  const conditions = await rule.find(read, times.nowMs, openKeys(known))
  const seen = decideAlerts(conditions, known, times)
  if (seen.begin.length === 0 && seen.end.length === 0) return
  const sendsMail = config.smtpUrl !== null
  const recovered = seen.end.length === 0 ? none : await rule.findRecovered(read, seen.end, times.nowMs)
  const { begin, end } = await writer.write((tx) =>
    recordAlerts(tx, { ...deps, sendsMail }, rule, { conditions, recovered }, times),
  )
  for (const { kind, subject, accountId } of begin)
    log.warn({ alert: kind, subject, account: accountId ?? undefined }, 'an alert begins')
  for (const { kind, subject, accountId } of end)
    log.info({ alert: kind, subject, account: accountId ?? undefined }, 'an alert ends')
}
