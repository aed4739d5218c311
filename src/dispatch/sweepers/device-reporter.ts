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
import type { AccountChanges } from '../../messages/queue/account-changes.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

/** How often the devices are looked at; what changed is written, the rest once each `deviceReportMs`. */
const intervalMs = 1_000

interface DeviceReporterDeps extends SweeperDeps {
  writer: Writer
  devices: () => readonly DeviceRuntime[]
  /** Ids of enabled devices that do not run. */
  absent: () => readonly string[]
  /** Tells whoever looks on of what was written. */
  changes: Pick<AccountChanges, 'tell'>
  /** Names this start of the server. */
  fence: number
  /** Where others serve the database too, each of them serves the phones. */
  node?: { isAlone: boolean }
  /** Told of phones of which another node knows more. */
  elsewhere?: (heard: readonly RemoteDeviceReport[]) => void
  times?: Times
}

/** Keeps the reports that `/status` reads in step with the running devices, and writes down what they become. */
export function createDeviceReporter(deps: DeviceReporterDeps): Sweeper {
  const startedAtMs = deps.clock.now()
  const { deviceReportMs } = deps.times ?? usualTimes
  let written = new Map<string, { said: string; atMs: number }>()
  let absentSince = new Map<string, number>()
  let beatAtMs = Number.NEGATIVE_INFINITY

  /** Those that have been absent for so long that their last report says nothing any more. */
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
    const seen = new Map(running.map((report) => [report.deviceId, { said: sayingOf(report), atMs: nowMs }]))
    const due = running.filter((report) => {
      const last = written.get(report.deviceId)
      return (
        last === undefined ||
        last.said !== seen.get(report.deviceId)?.said ||
        nowMs - last.atMs >= deviceReportMs
      )
    })
    const lost = findLost(nowMs)
    const isBeat = Math.abs(nowMs - beatAtMs) >= deviceReportMs
    if (due.length > 0 || isBeat) {
      await deps.writer.write(async (tx) => {
        const told = await ofThisNode(deps, tx, due, nowMs)
        await saveDeviceReports(tx, told, deps.fence)
        await recordHistory(tx, told, isBeat ? lost : [])
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

/** Without the phones that another node hears. */
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
  const told = due.map(({ deviceId, status, reasons, reportedAt }): DeviceStanding => ({
    deviceId,
    status,
    reasons,
    atMs: reportedAt,
  }))
  const changed = await recordStandings(tx, [...told, ...lost])
  await recordEvents(tx, changed.flatMap(deviceEvent))
  await recordSamples(tx, due)
}

/** What makes a report worth writing at once: not that a counter or a time moved. */
function sayingOf({ status, reasons, body }: DeviceReport): string {
  const { link, lastError, appVersion, battery, network, sims, throughput, isDoubted } = body
  const pace = [throughput?.partsPerWindow, throughput?.windowSeconds]
  const facts = [battery?.percent, battery?.charging, network?.registered, network?.transport, sims]
  return JSON.stringify([status, reasons, isDoubted, link, lastError, appVersion, facts, pace])
}

function reportOf(device: DeviceRuntime, nowMs: number): DeviceReport {
  const health = device.health
  const { link, lastSeenAt, nextContactExpectedBy, appVersion, battery, network, sims } = health
  return {
    deviceId: device.facts.id,
    status: health.status,
    reasons: health.reasons,
    reportedAt: nowMs,
    body: {
      link,
      lastSeenAt,
      nextContactExpectedBy,
      appVersion,
      battery,
      network,
      sims,
      capabilities: device.link.capabilities,
      throughput: device.throughput(),
      isDoubted: device.trust.isDistrusted,
      inFlight: device.open,
      lastSentAt: device.lastSentAt,
      lastError: device.lastError ?? health.lastError,
    },
  }
}
