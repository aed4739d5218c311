import { createLog } from '../src/process/log.ts'
import { createMetrics, type Metrics } from '../src/process/metrics.ts'
import { DevicePool, type DevicePoolDeps } from '../src/dispatch/devices/device-pool.ts'
import type { DispatchUnits } from '../src/dispatch/submissions/dispatch-units.ts'
import { Dispatcher, type DispatcherDeps } from '../src/dispatch/submissions/dispatcher.ts'
import { grantSms } from '../src/ledger/grants.ts'
import { claimMessages } from '../src/messages/queue/claim-messages.ts'
import { changeOnDemand, takeChange } from '../src/messages/core/change-number.ts'
import { readOpenOf } from '../src/messages/outcomes/open-claims.ts'
import { units } from '../src/messages/units.ts'
import type { ConnectorKind } from '../src/connectors/connector.ts'
import { QuietHoursCache } from '../src/dispatch/submissions/quiet-hours-cache.ts'
import { simulatorKind } from '../src/connectors/simulator/simulator.ts'
import { routeFrom } from '../src/dispatch/routes/route-ring.ts'
import { sendMessages } from '../src/messages/send/send-messages.ts'
import { routeKeyOf } from '../src/messages/core/route-key.ts'
import type { SendRequest, SendResult } from '../src/messages/send/send-request.ts'
import { touchDirectory } from '../src/storage/seam/directory-version.ts'
import { insertRows } from '../src/storage/seam/sets.ts'
import type { Mode } from '../src/storage/tables/schema.ts'
import { openRealStorage, openTestStorage, startInstance, type TestStorage } from './open-test-storage.ts'
import { sendRequest } from './send-request.ts'
import { readShown } from './messages/shown-messages.ts'

export interface MessagesFixture extends TestStorage {
  pool: DevicePool
  quiet: QuietHoursCache
  dispatcher: Dispatcher
  metrics: Metrics
  addAccount(id: string, granted: number): Promise<void>
  /** `acc_a` with 1,000 live SMS that its ledger knows of, so that sums hold. */
  addGrantedAccount(): Promise<void>
  addDevice(
    id: string,
    row?: Partial<{
      accountId: string | null
      mode: Mode
      settings: Record<string, string>
      senders: string[]
      pace: [number, number]
    }>,
  ): Promise<void>
  request(row?: Partial<SendRequest> & { to?: string[] }): SendRequest
  send(row?: Parameters<MessagesFixture['request']>[0]): Promise<SendResult>
  statuses(): Promise<string[]>
}

type NodeOptions = Pick<DevicePoolDeps, 'isLogged'> &
  Pick<DispatcherDeps, 'submissionLog' | 'hasOptedOut'> & {
    around?: (units: DispatchUnits) => DispatchUnits
    /** How often the clock of the test finds the dispatcher and the pool looking by themselves: seldom where days pass. */
    pollIntervalMs?: number
  }

/** What submits on one node: its links, and who gives them messages. Both have begun. */
export async function openNode(
  { storage, clock, ids }: Pick<TestStorage, 'storage' | 'clock' | 'ids'>,
  kind: ConnectorKind,
  {
    isLogged,
    submissionLog,
    hasOptedOut,
    around = (itself) => itself,
    pollIntervalMs = 500,
    fence = 1,
  }: NodeOptions & { fence?: number } = {},
): Promise<Pick<MessagesFixture, 'pool' | 'quiet' | 'dispatcher' | 'metrics'>> {
  const log = createLog('silent', { write: () => undefined })
  const metrics = createMetrics()
  const quiet = new QuietHoursCache(storage.read)
  const pool: DevicePool = new DevicePool({
    read: storage.read,
    clock,
    log,
    random: () => 0.5,
    loadKind: async () => kind,
    openSecrets: () => ({}),
    eventsOf: (deviceId) => ({
      receipt: (receipt) => dispatcher.receipt(deviceId, receipt),
      inbound: async () => undefined,
      lateOutcome: (attemptId, outcome) => dispatcher.lateOutcome(deviceId, attemptId, outcome),
      healthChanged: () => dispatcher.nudge(),
    }),
    // The database may be closed already.
    changed: () =>
      void quiet.refresh().then(
        () => dispatcher.nudge(),
        () => undefined,
      ),
    ...(isLogged && { isLogged }),
    planKey: '5e'.repeat(32),
    reloadIntervalMs: pollIntervalMs,
    breakerRestMs: 300_000,
  })
  const dispatchUnits: DispatchUnits = {
    async claim(input) {
      if (quiet.withHours(input.requests) === null) await quiet.refresh()
      const requests = quiet.withHours(input.requests) ?? input.requests
      return storage.writer.write((tx) =>
        claimMessages(tx, ids, { ...input, requests }, changeOnDemand(tx, input.nowMs)),
      )
    },
    settleOutcomes: (settlements) => storage.writer.write((tx) => units.settleOutcomes(tx, settlements)),
    settleReceipts: (words) => storage.writer.write((tx) => units.settleReceipts(tx, words)),
    readOpen: (asked) => storage.writer.write((tx) => readOpenOf(tx, asked)),
  }
  const dispatcher = new Dispatcher({
    read: storage.read,
    units: around(dispatchUnits),
    clock,
    log,
    metrics,
    pool,
    ...(submissionLog && { submissionLog }),
    ...(hasOptedOut && { hasOptedOut }),
    fence,
    pollIntervalMs,
  })
  await pool.start()
  await dispatcher.start()
  return { pool, quiet, dispatcher, metrics }
}

/** The domain without HTTP: real store, real dispatcher, the simulator, and a clock that stands still. */
export async function openMessagesFixture(
  kind: ConnectorKind = simulatorKind,
  { onFolder, ...options }: NodeOptions & { onFolder?: Parameters<typeof openRealStorage>[0] } = {},
): Promise<MessagesFixture> {
  const base = await (onFolder === undefined ? openTestStorage() : openRealStorage(onFolder))
  const { storage, clock, ids } = base
  await storage.writer.write((tx) => startInstance(tx, clock.now()))
  const { pool, quiet, dispatcher, metrics } = await openNode(base, kind, options)

  const request: MessagesFixture['request'] = (row) => sendRequest({ ids, nowMs: clock.now() }, row)

  const addAccount: MessagesFixture['addAccount'] = async (id, granted) => {
    await storage.writer.write(async (tx) => {
      const nowMs = clock.now()
      await insertRows(tx, 'accounts', [
        { id, name: id, state: 'active', created_at: nowMs, updated_at: nowMs },
      ])
      await insertRows(
        tx,
        'wallets',
        (['live', 'test'] as const).map((mode) => ({
          account_id: id,
          mode,
          granted,
          reserved: 0,
          used: 0,
          low_threshold: 0,
        })),
      )
      await touchDirectory(tx)
    })
  }

  return {
    ...base,
    pool,
    quiet,
    dispatcher,
    metrics,
    request,
    addAccount,
    async addGrantedAccount() {
      await addAccount('acc_a', 0)
      const grant = { accountId: 'acc_a', mode: 'live', sms: 1_000, kind: 'grant', note: 'To begin with', actor: 'test' } as const // prettier-ignore
      await storage.writer.write((tx) => grantSms(tx, { ids, nowMs: clock.now() }, grant))
    },
    async addDevice(id, { accountId = null, mode = 'live', settings = {}, senders = [], pace } = {}) {
      const nowMs = clock.now()
      await storage.writer.write(async (tx) => {
        await insertRows(tx, 'devices', [
          {
            id,
            account_id: accountId,
            mode,
            kind: 'simulator',
            name: id,
            state: 'enabled',
            senders: JSON.stringify(senders),
            settings: JSON.stringify(settings),
            parts_per_window: pace?.[0] ?? null,
            window_seconds: pace?.[1] ?? null,
            created_at: nowMs,
            updated_at: nowMs,
          },
        ])
        await touchDirectory(tx)
      })
      await pool.reloadIfChanged()
    },
    async send(row) {
      const made = request(row)
      const [result] = await storage.writer.write((tx) =>
        sendMessages(tx, [made], takeChange(tx, made.createdAt)),
      )
      dispatcher.wake(
        routeFrom({
          account_id: made.accountId,
          mode: made.mode,
          route_key: routeKeyOf({ mode: made.mode, sender: made.from }),
        }),
      )
      return result as SendResult
    },
    async statuses() {
      return (await readShown(storage.read)).map(({ status }) => status)
    },
    async close() {
      await dispatcher.stop()
      await pool.stop()
      await base.close()
    },
  }
}
