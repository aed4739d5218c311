import { dayMs, hourMs } from '../../runtime/clock.ts'
import type { KeyUse } from '../../accounts/keys/api-keys.ts'
import type { Config } from '../../config.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { ChangeHints } from '../../messages/core/change-hints.ts'
import type { Mailer } from '../../process/mailer.ts'
import type { Metrics } from '../../process/metrics.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import type { Times } from '../../runtime/times.ts'
import { createAlertMailer } from './alert-mailer.ts'
import { createAlertWatch } from './alert-watch.ts'
import { createCanaryRunner } from './canary-runner.ts'
import { CanarySenders } from '../devices/canary-senders.ts'
import { createDeviceReporter } from './device-reporter.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import { createDueReleaser, type DueReleaserDeps } from './due-releaser.ts'
import { createExpirer } from './expirer.ts'
import { inboundTermsOf } from '../inbound/inbound-receiver.ts'
import { createFollowerSender } from './follower-sender.ts'
import { createFragmentExpirer } from './fragment-expirer.ts'
import type { Sweeper, SweeperDeps } from './sweeper.ts'
import type { PastSubmissions } from '../submissions/submission-log.ts'
import { createKeyUseRecorder } from './key-use-recorder.ts'
import { createLostWaitExpirer } from './lost-wait-expirer.ts'
import { createOfferExpirer } from './offer-expirer.ts'
import { createRecallSender } from './send-recalls.ts'
import { createReceiptExpirer } from './receipt-expirer.ts'
import { createTestCreditRefill } from './test-credit-refill.ts'
import { createRescuer } from './rescuer.ts'
import { createRetention } from './retention.ts'
import { createUnroutableWatch } from './unroutable-messages.ts'
import { createTrafficPurger } from './traffic-purger.ts'
import { createHalfOpenWatch } from './half-open-phones.ts'
import { createUnreadKeeper } from './unread-keeper.ts'
import type { UnparsedNotes } from '../devices/unparsed-notes.ts'
import { createWebhookPurger } from './webhook-purger.ts'

export interface SweepersDeps extends SweeperDeps {
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
    | 'queueLimit'
  >
  read: Db
  writer: Writer
  metrics: Metrics
  ids: Ids
  fence: number
  past?: PastSubmissions | null
  before?: number | null
  node?: { isAlone: boolean }
  pool: DevicePool
  /** Shared with what phones fetch; omitted where none do. */
  canaries?: CanarySenders
  takeKeyUses: () => KeyUse[]
  unparsed: UnparsedNotes
  /** Null without a mail server. */
  mailer: Mailer | null
  /** The public URL of the service. */
  publicUrl: () => string
  /** Notifies live views of devices. */
  changes: Pick<ChangeHints, 'tell'>
  timeOf: DueReleaserDeps['timeOf']
  /** Called for each route that has something queued again. */
  wake: DueReleaserDeps['wake']
  times?: Times
}

/** Creates all cleanup jobs from the settings. */
export function createSweepers(
  deps: SweepersDeps,
): Record<
  | 'rescuer'
  | 'expirer'
  | 'dueReleaser'
  | 'receiptExpirer'
  | 'lostWaitExpirer'
  | 'retention'
  | 'fragmentExpirer'
  | 'refiller'
  | 'keyUses'
  | 'deviceReporter'
  | 'unreadKeeper'
  | 'offerExpirer'
  | 'strandedWatch'
  | 'phoneRecaller'
  | 'trialWatch'
  | 'trafficPurger'
  | 'alertWatch'
  | 'alertMailer'
  | 'webhookPurger'
  | 'canaryRunner'
  | 'followerSender',
  Sweeper
> {
  const { config } = deps
  // Jobs that each node runs for itself, regardless of which one leads.
  const own = { ...deps, leads: () => true }
  return {
    rescuer: createRescuer(deps),
    expirer: createExpirer(deps),
    dueReleaser: createDueReleaser(own),
    receiptExpirer: receiptExpirerOf(deps),
    lostWaitExpirer: lostWaitExpirerOf(deps),
    retention: retentionOf(deps),
    fragmentExpirer: createFragmentExpirer({ ...deps, terms: inboundTermsOf(config) }),
    refiller: createTestCreditRefill({ ...deps, playSms: config.playSms }),
    keyUses: createKeyUseRecorder({ ...own, takeUses: deps.takeKeyUses }),
    deviceReporter: createDeviceReporter({
      ...own,
      devices: () => deps.pool.reported,
      absent: () => deps.pool.absent,
      elsewhere: (reports) => deps.pool.remoteDeviceReports(reports),
    }),
    unreadKeeper: createUnreadKeeper(own),
    offerExpirer: createOfferExpirer(deps),
    strandedWatch: createUnroutableWatch(deps),
    phoneRecaller: createRecallSender(own),
    trialWatch: createHalfOpenWatch(own),
    trafficPurger: createTrafficPurger({ ...deps, trafficDays: config.trafficDays }),
    alertWatch: createAlertWatch(deps),
    alertMailer: createAlertMailer(deps),
    webhookPurger: createWebhookPurger({ ...deps, logDays: config.webhookLogDays }),
    followerSender: createFollowerSender({ ...deps, queueLimit: config.queueLimit }),
    canaryRunner: createCanaryRunner({ ...own, canaries: deps.canaries ?? new CanarySenders() }),
  }
}

const receiptExpirerOf = ({ config, ...deps }: SweepersDeps): Sweeper =>
  createReceiptExpirer({
    ...deps,
    receiptWindowMs: config.receiptWindowHours * hourMs,
    correctionDays: config.correctionDays,
    unmatchedMs: config.parkedReceiptHours * hourMs,
    maxUnmatched: config.parkedReceipts,
  })

const lostWaitExpirerOf = ({ config, ...deps }: SweepersDeps): Sweeper =>
  createLostWaitExpirer({ ...deps, receiptWindowMs: config.receiptWindowHours * hourMs })

const retentionOf = ({ config, ...deps }: SweepersDeps): Sweeper =>
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
