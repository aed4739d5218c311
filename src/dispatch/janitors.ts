import { dayMs, hourMs } from '../runtime/clock.ts'
import type { KeyUse } from '../accounts/api-keys.ts'
import type { Config } from '../config.ts'
import type { Ids } from '../runtime/ids.ts'
import type { AccountChanges } from '../messages/account-changes.ts'
import type { WriteHorizon } from '../messages/history-horizon.ts'
import type { Mailer } from '../process/mailer.ts'
import type { Metrics } from '../process/metrics.ts'
import type { Db } from '../storage/dialect.ts'
import type { Writer } from '../storage/writer.ts'
import type { Times } from '../runtime/times.ts'
import { createAlertMailer } from './alert-mailer.ts'
import { createAlertWatch } from './alert-watch.ts'
import { createDeviceReporter } from './device-reporter.ts'
import type { DevicePool } from './device-pool.ts'
import { createDueReleaser, type DueReleaserDeps } from './due-releaser.ts'
import { createExpirer } from './expirer.ts'
import { inboundTermsOf } from './inbound-receiver.ts'
import { createFragmentCloser } from './fragment-closer.ts'
import type { Janitor, JanitorDeps } from './janitor.ts'
import type { PastHandOvers } from './hand-over-log.ts'
import { createKeyUseRecorder } from './key-use-recorder.ts'
import { createPhoneCloser } from './phone-closer.ts'
import { createPhoneRecaller } from './phone-recaller.ts'
import { createReceiptCloser } from './receipt-closer.ts'
import { createRefiller } from './refiller.ts'
import { createRescuer } from './rescuer.ts'
import { createRetention } from './retention.ts'
import { createStrandedWatch } from './stranded-watch.ts'
import { createTrafficForgetter } from './traffic-forgetter.ts'
import { createTrialWatch } from './trial-watch.ts'
import { createUnreadKeeper } from './unread-keeper.ts'
import type { UnreadNotes } from './unread-notes.ts'
import { createWebhookForgetter } from './webhook-forgetter.ts'

export interface JanitorsDeps extends JanitorDeps {
  config: Pick<
    Config,
    | 'receiptWindowHours'
    | 'correctionDays'
    | 'recordRetentionDays'
    | 'textRetentionDays'
    | 'idempotencyDays'
    | 'auditDays'
    | 'keyUsageDays'
    | 'endedOptOutDays'
    | 'trafficDays'
    | 'deviceHistoryDays'
    | 'inboundJoinMinutes'
    | 'inboundCharacters'
    | 'parkedReceiptHours'
    | 'parkedReceipts'
    | 'playSms'
    | 'alertOfflineMinutes'
    | 'alertCoolDownMinutes'
    | 'alertFailures'
    | 'alertKeyDays'
    | 'webhookDisableDays'
    | 'alertDays'
    | 'smtpUrl'
    | 'webhookLogDays'
  >
  read: Db
  writer: Writer
  metrics: Metrics
  horizon: WriteHorizon
  ids: Ids
  fence: number
  past?: PastHandOvers | null
  before?: number | null
  node?: { isAlone: boolean }
  pool: DevicePool
  takeKeyUses: () => KeyUse[]
  unread: UnreadNotes
  /** Null where no mail server is set. */
  mailer: Mailer | null
  /** The address that people know the service by. */
  publicUrl: () => string
  /** Tells whoever looks on of devices. */
  changes: Pick<AccountChanges, 'tell'>
  timeOf: DueReleaserDeps['timeOf']
  /** Told of each route on which something waits anew. */
  wake: DueReleaserDeps['wake']
  times?: Times
}

/** Everything that tidies up, with what the settings say. */
export function createJanitors(
  deps: JanitorsDeps,
): Record<
  | 'rescuer'
  | 'expirer'
  | 'dueReleaser'
  | 'receiptCloser'
  | 'retention'
  | 'fragmentCloser'
  | 'refiller'
  | 'keyUses'
  | 'deviceReporter'
  | 'unreadKeeper'
  | 'phoneCloser'
  | 'strandedWatch'
  | 'phoneRecaller'
  | 'trialWatch'
  | 'trafficForgetter'
  | 'alertWatch'
  | 'alertMailer'
  | 'webhookForgetter',
  Janitor
> {
  const { config } = deps
  // What each node does for what runs on it, whichever of them tidies up.
  const own = { ...deps, leads: () => true }
  return {
    rescuer: createRescuer(deps),
    expirer: createExpirer(deps),
    dueReleaser: createDueReleaser(own),
    receiptCloser: createReceiptCloser({
      ...deps,
      receiptWindowMs: config.receiptWindowHours * hourMs,
      correctionDays: config.correctionDays,
      parkedMs: config.parkedReceiptHours * hourMs,
      mostParked: config.parkedReceipts,
    }),
    retention: retentionOf(deps),
    fragmentCloser: createFragmentCloser({ ...deps, terms: inboundTermsOf(config) }),
    refiller: createRefiller({ ...deps, playSms: config.playSms }),
    keyUses: createKeyUseRecorder({ ...own, takeUses: deps.takeKeyUses }),
    deviceReporter: createDeviceReporter({
      ...own,
      devices: () => deps.pool.reported,
      absent: () => deps.pool.absent,
      elsewhere: (heard) => deps.pool.heardElsewhere(heard),
    }),
    unreadKeeper: createUnreadKeeper(own),
    phoneCloser: createPhoneCloser(deps),
    strandedWatch: createStrandedWatch(deps),
    phoneRecaller: createPhoneRecaller(own),
    trialWatch: createTrialWatch(own),
    trafficForgetter: createTrafficForgetter({ ...deps, trafficDays: config.trafficDays }),
    alertWatch: createAlertWatch(deps),
    alertMailer: createAlertMailer(deps),
    webhookForgetter: createWebhookForgetter({ ...deps, logDays: config.webhookLogDays }),
  }
}

const retentionOf = ({ config, ...deps }: JanitorsDeps): Janitor =>
  createRetention({
    ...deps,
    recordDays: config.recordRetentionDays,
    correctableMs: config.receiptWindowHours * hourMs + config.correctionDays * dayMs,
    textDays: config.textRetentionDays,
    idempotencyDays: config.idempotencyDays,
    auditDays: config.auditDays,
    keyUsageDays: config.keyUsageDays,
    endedOptOutDays: config.endedOptOutDays,
    deviceHistoryDays: config.deviceHistoryDays,
    alertDays: config.alertDays,
  })
