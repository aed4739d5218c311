import { isPull } from '../../connectors/connector.ts'
import {
  type DeviceStanding,
  recordRun,
  recordSamples,
  recordStandings,
} from '../../devices/status/device-history.ts'
import { type DeviceReport, reportLifetimeMs, saveDeviceReports } from '../../devices/status/device-report.ts'
import { type RemoteDeviceReport, remoteDeviceReports } from '../../devices/status/remote-device-report.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'
import { recordEvents } from '../../messages/core/events.ts'
import { deviceEvent } from './device-event.ts'
import type { ChangeHints } from '../../messages/core/change-hints.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

/** How often the devices are checked; changes are written immediately, the rest once each `deviceReportMs`. */
const intervalMs = 1_000

interface DeviceReporterDeps extends SweeperDeps {
  writer: Writer
  devices: () => readonly DeviceRuntime[]
  /** IDs of enabled devices that do not run. */
  absent: () => readonly string[]
  /** Notifies live views of what was written. */
  changes: Pick<ChangeHints, 'tell'>
  /** Identifies this start of the server. */
  fence: number
  /** With peers, each node serves the phones. */
  node?: { isAlone: boolean }
  /** Receives reports of other nodes that know more about a phone. */
  elsewhere?: (heard: readonly RemoteDeviceReport[]) => void
  times?: Times
}

/** Keeps the reports that `/status` reads in step with the running devices, and records their history. */
export function createDeviceReporter(deps: DeviceReporterDeps): Sweeper {
  const startedAtMs = deps.clock.now()
  const { deviceReportMs } = deps.times ?? usualTimes
  let written = new Map<string, { digest: string; atMs: number }>()
  let absentSince = new Map<string, number>()
  let beatAtMs = Number.NEGATIVE_INFINITY

  /** Devices that have been absent for so long that their last report is meaningless. */
  function findLost(nowMs: number): DeviceStanding[] {
    absentSince = new Map(deps.absent().map((id) => [id, absentSince.get(id) ?? nowMs]))
    return [...absentSince].flatMap(([deviceId, sinceMs]) =>
      nowMs - sinceMs < reportLifetimeMs
        ? []
        : [{ deviceId, status: 'offline', reasons: ['no_report'], atMs: nowMs }],
    )
  }

  function ownersOf(due: readonly DeviceReport[]): (string | null)[] {
    const ids = new Set(due.map(({ deviceId }) => deviceId))
    return deps.devices().flatMap(({ facts }) => (ids.has(facts.id) ? [facts.accountId] : []))
  }

  async function sweep(): Promise<boolean> {
    const nowMs = deps.clock.now()
    const running = deps.devices().map((device) => reportOf(device, nowMs))
    const seen = new Map(
      running.map((report) => [report.deviceId, { digest: digestOf(report), atMs: nowMs }]),
    )
    const due = running.filter((report) => {
      const last = written.get(report.deviceId)
      return (
        last === undefined ||
        last.digest !== seen.get(report.deviceId)?.digest ||
        nowMs - last.atMs >= deviceReportMs
      )
    })
    const lost = findLost(nowMs)
    const isBeat = Math.abs(nowMs - beatAtMs) >= deviceReportMs
    if (due.length > 0 || isBeat) {
      await deps.writer.write(async (tx) => {
        const own = await ofThisNode(deps, tx, due, nowMs)
        await saveDeviceReports(tx, own, deps.fence)
        await recordHistory(tx, own, isBeat ? lost : [])
        if (isBeat) await recordRun(tx, { epoch: deps.fence, startedAtMs, nowMs })
      })
      if (isBeat) beatAtMs = nowMs
      deps.changes.tell(() => ownersOf(due))
    }
    const reported = new Set(due.map((report) => report.deviceId))
    written = new Map(
      [...seen].map(([id, entry]) => [id, reported.has(id) ? entry : (written.get(id) ?? entry)]),
    )
    return false
  }
  return new Sweeper(deps, { name: 'device-reporter', intervalMs, sweep })
}

/** Returns the reports without the phones that are connected to another node. */
async function ofThisNode(
  deps: Pick<DeviceReporterDeps, 'node' | 'devices' | 'elsewhere' | 'fence'>,
  tx: Tx,
  due: readonly DeviceReport[],
  nowMs: number,
): Promise<readonly DeviceReport[]> {
  if (deps.node?.isAlone !== false) return due
  const fetching = new Set(deps.devices().flatMap(({ facts, link }) => (isPull(link) ? [facts.id] : [])))
  const phones = due.filter(({ deviceId }) => fetching.has(deviceId))
  const heard = await remoteDeviceReports(tx, phones, { epoch: deps.fence, nowMs })
  deps.elsewhere?.(heard)
  const others = new Set(heard.map(({ deviceId }) => deviceId))
  return due.filter(({ deviceId }) => !others.has(deviceId))
}

async function recordHistory(
  tx: Tx,
  due: readonly DeviceReport[],
  lost: readonly DeviceStanding[],
): Promise<void> {
  const own = due.map(({ deviceId, status, reasons, reportedAt }): DeviceStanding => ({
    deviceId,
    status,
    reasons,
    atMs: reportedAt,
  }))
  const changed = await recordStandings(tx, [...own, ...lost])
  await recordEvents(tx, changed.flatMap(deviceEvent))
  await recordSamples(tx, due)
}

/** What makes a report worth writing immediately: not a counter or a time that changed. */
function digestOf({ status, reasons, body }: DeviceReport): string {
  const { link, lastError, appVersion, battery, network, sims, throughput, isDoubted } = body
  const pace = [throughput?.partsPerWindow, throughput?.windowSeconds]
  const facts = [battery?.percent, battery?.charging, network?.registered, network?.transport, sims]
  return JSON.stringify([status, reasons, isDoubted, link, lastError, appVersion, facts, pace])
}

function reportOf(device: DeviceRuntime, nowMs: number): DeviceReport {
  const health = device.health
  const { link, lastSeenAt, contact, nextContactExpectedBy, appVersion, battery, network, sims } = health
  return {
    deviceId: device.facts.id,
    status: health.status,
    reasons: health.reasons,
    reportedAt: nowMs,
    body: {
      link,
      lastSeenAt,
      ...(contact !== undefined && { contact }),
      nextContactExpectedBy,
      appVersion,
      battery,
      network,
      sims,
      capabilities: device.link.capabilities,
      throughput: device.throughput(),
      isDoubted: device.trust.isDistrusted,
      inFlight: device.inFlight,
      lastSentAt: device.lastSentAt,
      lastError: device.lastError ?? health.lastError,
      ...(health.balance !== undefined && { balance: health.balance }),
      ...(health.credit !== undefined && { credit: health.credit }),
    },
  }
}
