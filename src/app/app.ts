import { AgreedClock } from '../runtime/agreed-clock.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import type { Config } from '../config.ts'
import { createCredentials } from './credentials.ts'
import { createDeviceSecretBox } from '../devices/secret-box.ts'
import { createPool } from './device-pool.ts'
import type { DevicePool } from '../dispatch/device-pool.ts'
import { createDispatchUnits } from '../dispatch/dispatch-units.ts'
import { Dispatcher } from '../dispatch/dispatcher.ts'
import { HandOverLog, type PastHandOvers, readBoot, readPastHandOvers } from '../dispatch/hand-over-log.ts'
import { addGauges } from '../dispatch/gauges.ts'
import { createJanitors } from '../dispatch/janitors.ts'
import type { NodeBeats } from '../dispatch/node-beats.ts'
import { NodeNews } from '../dispatch/node-news.ts'
import { ProgressKeeper } from '../dispatch/progress-keeper.ts'
import type { Route } from '../dispatch/choose-device.ts'
import { QuietAccounts } from '../dispatch/quiet-accounts.ts'
import { UnreadNotes } from '../dispatch/unread-notes.ts'
import { ensureTestSimulator } from '../dispatch/test-simulator.ts'
import { createInboundReceiver } from './inbound.ts'
import { createHttp } from './http.ts'
import { createIds } from '../runtime/ids.ts'
import { loadInstanceSecret } from '../process/instance-secret.ts'
import { endAll, type Service, startAll, stopAll } from '../process/lifecycle.ts'
import type { Log } from '../process/log.ts'
import type { Claimed } from '../messages/claim-messages.ts'
import { AccountChanges } from '../messages/account-changes.ts'
import { openHorizon } from '../messages/open-horizon.ts'
import { OptOuts } from '../messages/opt-outs.ts'
import { createNumberHash } from '../numbers/number-hash.ts'
import { createMailer } from '../process/mailer.ts'
import { createMetrics } from '../process/metrics.ts'
import { begin, createBeats } from './own-node.ts'
import { inOrder } from './start-order.ts'
import type { Wiring } from './wiring.ts'
import { createPhones } from './phones.ts'
import { createWebhookDelivery } from './webhook-delivery.ts'
import { SharedCounts } from '../runtime/shared-counts.ts'
import type { Storage } from '../storage/database.ts'
import { sayDamage } from '../storage/damage.ts'
import { databaseTime, isShared } from '../storage/database-time.ts'
import type { EpochStart } from '../storage/epoch.ts'
import { ProgressFile } from '../storage/epoch-file.ts'
import { lockFolder } from '../storage/folder-lock.ts'
import { programModule } from '../process/program-files.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { HotUnits } from '../messages/units.ts'
import { type Times, usualTimes } from '../runtime/times.ts'
import { readTlsFiles } from '../process/tls-files.ts'

/** The whole program, built by hand and in start order. */
export interface App {
  storage: Storage<HotUnits>
  dispatcher: Dispatcher
  epoch: EpochStart
  /** Settles when the secrets of this server were given up while it was taken for dead (`secret accept`): it must end, and not be started again. */
  secretGivenUp: Promise<Error>
  /** Starts everything; gives the address that it listens on. When it fails, everything is stopped and closed again. */
  start(): Promise<{ url: string }>
  /** Takes no more requests, finishes what is under way, and lets the data folder go. */
  stop(): Promise<void>
}

/** What a test may give in the place of the usual. */
export interface AppInputs {
  /** Opens the database. */
  open?: typeof openStorage<HotUnits>
  times?: Times
}

/** Opens the data folder and builds every part; nothing runs yet. Refuses a folder that another process serves. */
export async function createApp(
  config: Config,
  log: Log,
  ownClock: Clock = systemClock,
  { open = openStorage, times = usualTimes }: AppInputs = {},
): Promise<App> {
  const clock = new AgreedClock(ownClock)
  const lock = await lockFolder(config.dataFolder, { nowMs: clock.now(), purpose: 'onesixty serve' })
  let storage: Storage<HotUnits> | null = null
  let progress: ProgressFile | null = null
  try {
    const secret = await loadInstanceSecret(config)
    const served = { unitsModule: programModule('units'), maxMergedWeight: config.maxBatchMessages }
    const opened = (storage = await open(config, served, clock.now()))
    await agree(clock, opened)
    const { epoch, node } = await begin(opened, { config, clock, secret, times })
    progress = new ProgressFile(config.dataFolder, epoch.file)
    const horizon = await openHorizon(opened, clock, node, times)
    const ids = createIds({ now: horizon.now })
    const secretBox = createDeviceSecretBox(secret)
    await ensureTestSimulator(opened.writer, { ids, nowMs: clock.now(), secretBox })
    const wiring: Wiring = {
      node,
      config,
      log,
      clock,
      ids,
      metrics: createMetrics(clock, log),
      storage: opened,
      read: opened.read,
      writer: opened.writer,
      secret,
      secretBox,
      horizon,
      changes: new AccountChanges(),
      counts: new SharedCounts(),
      optOuts: new OptOuts(opened.readAtDoor, createNumberHash(secret)),
      quiet: new QuietAccounts(opened.read),
      unread: new UnreadNotes(clock, (deviceId, kind) => wiring.metrics.linkOf(deviceId).unread(kind)),
      epoch,
      progress,
      tls: await readTlsFiles(config),
      times,
      lifecycle: { ready: false },
    }
    const boot = await readBoot()
    // A database that was put back knows nothing of what left since; and a log may be of what left another one.
    const past =
      epoch.restored || epoch.before === null ? null : await readPastHandOvers(config.dataFolder, boot)
    const handOvers = new HandOverLog({ clock, dataFolder: config.dataFolder, epoch: epoch.epoch, boot })
    if (epoch.epoch === 1) await opened.takeLogOver()
    return assemble(wiring, { lock, handOvers, past, heard: clock.hear })
  } catch (error) {
    // Its connections would keep the process alive.
    await endAll([() => storage?.close(), () => progress?.close(), () => lock.release()]).catch(
      () => undefined,
    )
    throw error
  }
}

interface Around {
  lock: { release(): void }
  handOvers: HandOverLog
  past: PastHandOvers | null
  /** Told what the time of the database is, again and again. */
  heard: AgreedClock['hear']
}

/** Before anything is written: a node whose clock is wrong is right from its first row on. */
async function agree(clock: AgreedClock, { read }: Pick<Storage, 'read'>): Promise<void> {
  if (!isShared(read)) return
  const askedMs = clock.monotonicMs()
  const databaseMs = await databaseTime(read, clock)
  clock.hear({ databaseMs, askedMs, answeredMs: clock.monotonicMs() })
}

function assemble(wiring: Wiring, { lock, handOvers, past, heard }: Around): App {
  const { storage, epoch } = wiring
  const { authenticator, identities, ignoreCommits } = createCredentials(wiring)
  const pool: DevicePool = createPool(wiring, handOvers, {
    receipt: (deviceId, receipt) => dispatcher.receipt(deviceId, receipt),
    inbound: (deviceId, inbound) => inboundReceiver.receive(deviceId, inbound),
    late: (attemptId, outcome) => dispatcher.late(attemptId, outcome),
    changed: () => {
      authenticator.invalidate()
      refreshAccounts(wiring)
      dispatcher.nudge()
    },
    nudge: () => dispatcher.nudge(),
  })
  const inboundReceiver = createInboundReceiver(wiring, { pool, wake: (route) => dispatcher.wake(route) })
  const dispatcher = createDispatcher(wiring, pool, handOvers)
  const phones = createPhones(wiring, {
    identities,
    pool,
    inboundReceiver,
    claim: createDispatchUnits(wiring).claim,
    dueNow: () => dispatcher.dueNow(),
    wake: (route) => dispatcher.wake(route),
  })
  const { beats, secretGivenUp } = createBeats(wiring, { heard, wasPutBack: () => dispatcher.wasPutBack() })
  const keeper = new ProgressKeeper({ ...wiring, file: wiring.progress })
  const news = createNews(wiring, { beats, wake: (route) => dispatcher.wake(route) })
  const wake = (route: Route): void => {
    dispatcher.wake(route)
    news.waits(route)
  }
  const janitors = createJanitors({
    ...wiring,
    leads: beats.leads,
    fence: epoch.epoch,
    before: epoch.before,
    past,
    pool,
    takeKeyUses: () => authenticator.takeUses(),
    timeOf: (db) => databaseTime(db, wiring.clock),
    wake,
    mailer: createMailer({ ...wiring, publicUrl: () => http.url() }),
    publicUrl: () => http.url(),
  })
  const http = createHttp(wiring, { authenticator, pool, wake, phones })
  addGauges({ ...wiring, sizes: () => storage.sizes(), signals: storage.signals, pool })
  const webhooks = createWebhookDelivery(wiring, dispatcher.dueNow)
  const services = inOrder({ beats, keeper, news, janitors, handOvers, pool, dispatcher, webhooks, http })
  const close = (): Promise<void> =>
    endAll([ignoreCommits, () => storage.close(), () => wiring.progress.close(), () => lock.release()])
  return {
    storage,
    dispatcher,
    epoch,
    secretGivenUp,
    ...runningOf(wiring, { services, close, url: http.url }),
  }
}

/** Starts and stops all of it; what could not start is stopped and closed again. */
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

const createNews = (
  { storage, clock, log, node, changes, counts }: Wiring,
  { beats, wake }: { beats: NodeBeats; wake: (route: Route) => void },
): NodeNews =>
  new NodeNews({
    clock,
    log,
    signals: storage.signals,
    epoch: node.epoch,
    hasOthers: () => beats.count > 1,
    wake,
    changes,
    counts,
  })

const refreshAccounts = ({ optOuts, quiet, log }: Wiring): void => {
  for (const kept of [optOuts, quiet])
    void kept
      .refresh()
      .catch((error: unknown) => log.error({ err: error }, 'accounts could not be read anew'))
}

function createDispatcher(wiring: Wiring, pool: DevicePool, handOvers: HandOverLog): Dispatcher {
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
    handOvers,
    hasStopped: (claimed, waitedMs) => optOuts.hasStopped(consentTo(claimed), after(waitedMs)),
    hasJustStopped: (claimed, waitedMs) => optOuts.hasJustStopped(consentTo(claimed), after(waitedMs)),
    fence: epoch.epoch,
    pollIntervalMs: config.pollIntervalMs,
  })
}
