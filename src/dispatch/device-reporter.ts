import { type DeviceReport, reportIntervalMs, saveDeviceReports } from '../devices/device-report.ts'
import type { Writer } from '../storage/writer.ts'
import type { DeviceRuntime } from './device-runtime.ts'
import { Janitor, type JanitorDeps } from './janitor.ts'

/** How often the devices are looked at; what changed is written, the rest once each `reportIntervalMs`. */
const intervalMs = 1_000

/** Keeps the reports that `/status` reads in step with the running devices. */
export function createDeviceReporter(
  deps: JanitorDeps & { writer: Writer; devices: () => readonly DeviceRuntime[] },
): Janitor {
  let written = new Map<string, { said: string; atMs: number }>()

  async function sweep(): Promise<boolean> {
    const nowMs = deps.clock.now()
    const running = deps.devices().map((device) => reportOf(device, nowMs))
    const seen = new Map(running.map((report) => [report.deviceId, { said: sayingOf(report), atMs: nowMs }]))
    const due = running.filter((report) => {
      const last = written.get(report.deviceId)
      return (
        last === undefined ||
        last.said !== seen.get(report.deviceId)?.said ||
        nowMs - last.atMs >= reportIntervalMs
      )
    })
    if (due.length > 0) await deps.writer.write((tx) => saveDeviceReports(tx, due))
    const reported = new Set(due.map((report) => report.deviceId))
    written = new Map(
      [...seen].map(([id, entry]) => [id, reported.has(id) ? entry : (written.get(id) ?? entry)]),
    )
    return false
  }
  return new Janitor(deps, { name: 'device-reporter', intervalMs, sweep })
}

/** What makes a report worth writing at once: not that a counter or a time moved. */
function sayingOf({ status, reasons, body }: DeviceReport): string {
  const { link, lastError, appVersion, battery, network, sims, throughput } = body
  const pace = [throughput?.partsPerWindow, throughput?.windowSeconds]
  const facts = [battery?.percent, battery?.charging, network?.registered, network?.transport, sims]
  return JSON.stringify([status, reasons, link, lastError, appVersion, facts, pace])
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
      inFlight: device.open,
      lastSentAt: device.lastSentAt,
      lastError: device.lastError ?? health.lastError,
    },
  }
}
