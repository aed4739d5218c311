import { AgreedClock } from '../runtime/agreed-clock.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import type { Config } from '../config.ts'
import type { FoundPorts } from '../connectors/connector-tools.ts'
import { machineNetworks, type OwnNetworks } from '../connectors/own-networks.ts'
import { machinePorts } from '../connectors/port-kind.ts'
import { createCredentials } from './credentials.ts'
import { createDeviceSecretBox } from '../runtime/secret-box.ts'
import { createPool } from './create-pool.ts'
import type { DevicePool } from '../dispatch/devices/device-pool.ts'
import { createDispatchUnits } from '../dispatch/submissions/dispatch-units.ts'
import { Dispatcher } from '../dispatch/submissions/dispatcher.ts'
import {
  SubmissionLog,
  type PastSubmissions,
  readBoot,
  readPastSubmissions,
} from '../dispatch/submissions/submission-log.ts'
import { CanarySenders } from '../dispatch/devices/canary-senders.ts'
import { addGauges } from '../dispatch/devices/gauges.ts'
import { createSweepers, type SweepersDeps } from '../dispatch/sweepers/sweepers.ts'
import type { Heartbeats } from '../dispatch/nodes/heartbeats.ts'
import { Broadcasts } from '../dispatch/nodes/broadcasts.ts'
import { ProgressKeeper } from '../dispatch/sweepers/progress-keeper.ts'
import type { Route } from '../dispatch/routes/candidate.ts'
import { ensureTestSimulator } from '../dispatch/devices/test-simulator.ts'
import { createInboundReceiver } from './inbound.ts'
import { createHttp } from './http.ts'
import { createIds } from '../runtime/ids.ts'
import { loadInstanceSecret } from '../process/instance-secret.ts'
import { endAll, type Service, startAll, stopAll } from '../process/lifecycle.ts'
import type { Log } from '../process/log.ts'
import type { Claimed } from '../messages/queue/claim-messages.ts'
import { createMailer } from '../process/mailer.ts'
import { begin, createHeartbeats } from './own-node.ts'
import { inOrder } from './start-order.ts'
import { createWiring, type Wiring } from './wiring.ts'
import { createPhones } from './phones.ts'
import { agreeOnTime } from './agree-on-time.ts'
import { createProviderPorts, type DeviceReports } from './providers.ts'
import { createWebhookDelivery } from './webhook-delivery.ts'
import type { Storage } from '../storage/seam/storage.ts'
import { sayDamage } from '../storage/seam/damage.ts'
import { databaseTime } from '../storage/seam/database-time.ts'
import type { EpochStart } from '../storage/instance/epoch.ts'
import { ProgressFile } from '../storage/instance/epoch-file.ts'
import { lockFolder } from '../storage/instance/folder-lock.ts'
import { programModule } from '../process/program-files.ts'
import { openStorage } from '../storage/open/open-storage.ts'
import type { HotUnits } from '../messages/units.ts'
import { type Times, usualTimes } from '../runtime/times.ts'
import { describeUpgrade, type UpgradeProgress } from '../storage/seam/upgrade-progress.ts'

/** The whole program, assembled by hand and in start order. */
export interface App {
  storage: Storage<HotUnits>
  dispatcher: Dispatcher
  epoch: EpochStart
  /**
   * Resolves if the secrets of this server were declared lost while its peers considered it dead (`secret
   * accept`): the process must end and must not be restarted.
   */
  secretGivenUp: Promise<Error>
  /**
   * Starts all services and returns the address that the server listens on. If it fails, everything is
   * stopped and closed again.
   */
  start(): Promise<{ url: string }>
  /** Rejects new requests, finishes running work, and releases the data folder. */
  stop(): Promise<void>
}

/** Replacements for tests. */
export interface AppInputs {
  /** Opens the database. */
  open?: typeof openStorage<HotUnits>
  times?: Times
  /** The networks in which phones are looked for, and the ports that the console shows. */
  networks?: () => OwnNetworks
  serialPorts?: () => Promise<FoundPorts>
}

const usualInputs: Required<AppInputs> = {
  open: openStorage,
  times: usualTimes,
  networks: machineNetworks,
  serialPorts: machinePorts,
}

/**
 * Opens the data folder and builds every part; nothing runs yet. Throws if another process serves this
 * folder.
 */
export async function createApp(
  config: Config,
  log: Log,
  ownClock: Clock = systemClock,
  inputs: AppInputs = {},
): Promise<App> {
  const { open, times, ...machine } = { ...usualInputs, ...inputs }
  const clock = new AgreedClock(ownClock)
  const lock = await lockFolder(config.dataFolder, { nowMs: clock.now(), purpose: 'onesixty serve' })
  let storage: Storage<HotUnits> | null = null
  let progress: ProgressFile | null = null
  try {
    const secret = await loadInstanceSecret(config)
    const served = {
      unitsModule: programModule('units'),
      maxMergedWeight: config.maxBatchMessages,
      reportUpgrade: (step: UpgradeProgress) => log.info(describeUpgrade(step)),
    }
    const opened = (storage = await open(config, served, clock.now()))
    await agreeOnTime(clock, opened)
    const { epoch, node } = await begin(opened, { config, clock, secret, times })
    progress = new ProgressFile(config.dataFolder, epoch.file)
    const ids = createIds({ now: clock.now })
    const secretBox = createDeviceSecretBox(secret)
    await ensureTestSimulator(opened.writer, { ids, nowMs: clock.now(), secretBox })
    const wiring = await createWiring({
      node,
      config,
      log,
      clock,
      ids,
      storage: opened,
      secret,
      secretBox,
      epoch,
      progress,
      times,
      ...machine,
    })
    const boot = await readBoot()
    // After a restore, the database does not know what was sent since; and a log may belong to another
    // database.
    const past =
      epoch.restored || epoch.before === null ? null : await readPastSubmissions(config.dataFolder, boot)
    const submissionLog = new SubmissionLog({
      clock,
      dataFolder: config.dataFolder,
      epoch: epoch.epoch,
      boot,
    })
    if (epoch.epoch === 1) await opened.checkpoint()
    return assemble(wiring, { lock, submissionLog, past, heard: clock.hear })
  } catch (error) {
    // Open connections would keep the process alive.
    await endAll([() => storage?.close(), () => progress?.close(), () => lock.release()]).catch(
      () => undefined,
    )
    throw error
  }
}

interface Around {
  lock: { release(): void }
  submissionLog: SubmissionLog
  past: PastSubmissions | null
  /** Called with each reading of the database's time. */
  heard: AgreedClock['hear']
}

function assemble(wiring: Wiring, { lock, submissionLog, past, heard }: Around): App {
  const { storage, epoch } = wiring
  const { authenticator, identities, ignoreCommits } = createCredentials(wiring)
  const changed = (): void => {
    authenticator.invalidate()
    refreshAccounts(wiring)
    dispatcher.nudge()
  }
  const reports: DeviceReports = {
    receipt: (deviceId, receipt) => dispatcher.receipt(deviceId, receipt),
    inbound: (deviceId, inbound) => inboundReceiver.receive(deviceId, inbound),
    lateOutcome: (deviceId, attemptId, outcome) => dispatcher.lateOutcome(deviceId, attemptId, outcome),
  }
  const pool: DevicePool = createPool(wiring, submissionLog, {
    ...reports,
    changed,
    nudge: () => dispatcher.nudge(),
    visits: () => phones,
  })
  const inboundReceiver = createInboundReceiver(wiring, { pool, wake: (route) => dispatcher.wake(route) })
  const dispatcher = createDispatcher(wiring, pool, submissionLog)
  const canaries = new CanarySenders()
  const phones = createPhones(wiring, {
    canaries,
    identities,
    pool,
    inboundReceiver,
    claim: createDispatchUnits(wiring).claim,
    dueNow: () => dispatcher.dueNow(),
    wake: (route) => dispatcher.wake(route),
  })
  const { heartbeats, secretGivenUp } = createHeartbeats(wiring, {
    heard,
    wasRestored: () => dispatcher.wasRestored(),
  })
  const keeper = new ProgressKeeper({ ...wiring, file: wiring.progress })
  const broadcasts = createBroadcasts(wiring, { heartbeats, wake: (route) => dispatcher.wake(route) })
  const wake = (route: Route): void => {
    dispatcher.wake(route)
    broadcasts.waits(route)
  }
  const sweepers = createSweepersOf(wiring, {
    leads: heartbeats.leads,
    past,
    pool,
    canaries,
    takeKeyUses: () => authenticator.takeUses(),
    wake,
    publicUrl: () => http.url(),
  })
  const providers = createProviderPorts(wiring, { ...reports, pool })
  const http = createHttp(wiring, { authenticator, pool, wake, phones, providers })
  addGauges({ ...wiring, sizes: () => storage.sizes(), signals: storage.signals, pool })
  const webhooks = createWebhookDelivery(wiring, dispatcher.dueNow)
  const parts = { heartbeats, keeper, broadcasts, sweepers, submissionLog, pool, dispatcher, webhooks, http }
  const close = (): Promise<void> =>
    endAll([ignoreCommits, () => storage.close(), () => wiring.progress.close(), () => lock.release()])
  const running = runningOf(wiring, { services: inOrder(parts), close, url: http.url })
  return { storage, dispatcher, epoch, secretGivenUp, ...running }
}

/** Starts and stops all services. If one fails to start, all are stopped and closed. */
const runningOf = (
  wiring: Wiring,
  { services, close, url }: { services: readonly Service[]; close: () => Promise<void>; url: () => string },
): Pick<App, 'start' | 'stop'> => ({
  async start() {
    sayDamage(wiring.storage.damage, wiring)
    await startAll(services).catch(async (error: unknown) => {
      await close().catch(() => undefined)
      throw error
    })
    wiring.lifecycle.ready = true
    return { url: url() }
  },
  async stop() {
    wiring.lifecycle.ready = false
    await endAll([() => stopAll(services), close])
  },
})

const createSweepersOf = (
  wiring: Wiring,
  parts: Pick<SweepersDeps, 'leads' | 'past' | 'pool' | 'canaries' | 'takeKeyUses' | 'wake' | 'publicUrl'>,
): ReturnType<typeof createSweepers> =>
  createSweepers({
    ...wiring,
    ...parts,
    fence: wiring.epoch.epoch,
    before: wiring.epoch.before,
    timeOf: (db) => databaseTime(db, wiring.clock),
    mailer: createMailer({ ...wiring, publicUrl: parts.publicUrl }),
  })

const createBroadcasts = (
  { storage, clock, log, node, changes, counts }: Wiring,
  { heartbeats, wake }: { heartbeats: Heartbeats; wake: (route: Route) => void },
): Broadcasts =>
  new Broadcasts({
    clock,
    log,
    signals: storage.signals,
    epoch: node.epoch,
    hasOthers: () => heartbeats.count > 1,
    wake,
    changes,
    counts,
  })

const refreshAccounts = ({ optOuts, quiet, log }: Wiring): void => {
  for (const cache of [optOuts, quiet])
    void cache.refresh().catch((error: unknown) => log.error({ err: error }, 'failed to reload accounts'))
}

function createDispatcher(wiring: Wiring, pool: DevicePool, submissionLog: SubmissionLog): Dispatcher {
  const { storage, clock, log, metrics, optOuts, epoch, config } = wiring
  const consentTo = ({ accountId, mode, messageId, to: recipient }: Claimed) => ({
    accountId,
    mode,
    messageId,
    recipient,
  })
  const after = (waitedMs: number) => ({ waitedMs, monotonicMs: clock.monotonicMs(), nowMs: clock.now() })
  return new Dispatcher({
    read: storage.read,
    units: createDispatchUnits(wiring),
    clock,
    log,
    metrics,
    pool,
    submissionLog,
    hasOptedOut: (claimed, waitedMs) => optOuts.hasOptedOut(consentTo(claimed), after(waitedMs)),
    isKnownOptedOut: (claimed, waitedMs) => optOuts.isKnownOptedOut(consentTo(claimed), after(waitedMs)),
    fence: epoch.epoch,
    pollIntervalMs: config.pollIntervalMs,
  })
}
