import { minuteMs } from '../runtime/clock.ts'
import { androidKind, visitingKind } from '../connectors/android/android.ts'
import type { VisitPorts } from '../connectors/android/ports.ts'
import { loadConnectorKind } from '../connectors/registry.ts'
import { hasDeviceMark, markDevice, unmarkDevice } from '../devices/core/device-marks.ts'
import { planKey } from '../numbers/number-hash.ts'
import { openDeviceSecrets } from '../devices/core/device-secrets.ts'
import { DevicePool } from '../dispatch/devices/device-pool.ts'
import type { Dispatcher } from '../dispatch/submissions/dispatcher.ts'
import type { SubmissionLog } from '../dispatch/submissions/submission-log.ts'
import type { InboundReceiver } from '../dispatch/inbound/inbound-receiver.ts'
import { LinkLeases } from '../dispatch/devices/link-leases.ts'
import { createOutgoing } from '../outgoing/create-outgoing.ts'
import { deviceSettings } from '../settings/device-settings.ts'
import { callbackUrlsOf, createProviderHooks } from './providers.ts'
import type { Wiring } from './wiring.ts'
import { databaseTime } from '../storage/seam/database-time.ts'

/** Receivers of the events of devices. */
interface PoolEvents {
  receipt: Dispatcher['receipt']
  inbound: InboundReceiver['receive']
  lateOutcome: Dispatcher['lateOutcome']
  changed: () => void
  nudge: () => void
  /** What visits to phones need; the parts behind it are built later. */
  visits: () => VisitPorts
}

const directoryPollMs = 500

/** Creates the pool of devices that run on this node, and connects their events. */
export function createPool(wiring: Wiring, submissionLog: SubmissionLog, events: PoolEvents): DevicePool {
  const { storage, writer, clock, log, metrics, config, secretBox, changes, node, times, unparsed, secret } =
    wiring
  const hooks = createProviderHooks(wiring)
  return new DevicePool({
    read: storage.read,
    clock,
    log,
    random: Math.random,
    loadKind: async (kind) =>
      kind === androidKind.kind ? visitingKind(events.visits) : loadConnectorKind(kind),
    openSecrets: (row) => openDeviceSecrets(secretBox, row),
    eventsOf: (deviceId) => ({
      receipt: (receipt) => events.receipt(deviceId, receipt),
      inbound: (inbound) => changes.after(events.inbound(deviceId, inbound), () => [null]),
      lateOutcome: (attemptId, outcome) => events.lateOutcome(deviceId, attemptId, outcome),
      healthChanged: events.nudge,
    }),
    countersOf: (deviceId) => ({
      ...metrics.linkOf(deviceId),
      unparsed: (kind, form) => unparsed.note(deviceId, kind, form),
    }),
    marksOf: (deviceId) => ({
      mark: (name) => writer.write((tx) => markDevice(tx, { deviceId, name, nowMs: clock.now() })),
      unmark: async (name) => {
        const mark = { deviceId, name }
        if (await hasDeviceMark(storage.read, mark)) await writer.write((tx) => unmarkDevice(tx, mark))
      },
    }),
    outgoing: createOutgoing(config.providerAllow, deviceSettings.providerAllow.env),
    ...(config.publicUrl !== null && {
      callbackUrlsOf: (deviceId) => callbackUrlsOf(wiring, hooks, deviceId),
    }),
    callsGoElsewhere: !node.isAlone,
    leases: new LinkLeases({
      writer,
      clock,
      log,
      owner: node.name,
      isAlone: node.isAlone,
      timeOf: (tx) => databaseTime(tx, clock),
      refused: metrics.leaseTokensRefused,
      times,
    }),
    leavesLinks: !config.roles.includes('dispatch'),
    isLogged: () => submissionLog.isKept,
    changed: events.changed,
    reloadIntervalMs: directoryPollMs,
    planKey: planKey(secret.current),
    times,
    breakerRestMs: config.breakerRestMinutes * minuteMs,
  })
}
