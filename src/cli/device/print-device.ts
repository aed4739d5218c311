import { renderDeviceReport } from '../../api/v1/device-report-view.ts'
import { rfc3339 } from '../../runtime/clock.ts'
import type { ConnectorKind } from '../../connectors/connector.ts'
import { settingTroubles } from '../../connectors/try-device.ts'
import type { ListedDevice } from '../../devices/status/list-devices.ts'
import { ownCommand } from '../../process/own-command.ts'

/** Returns a device as JSON. Whether it has secrets is shown, never the secrets. */
export const deviceDocument = (device: ListedDevice): object => ({
  id: device.id,
  account_id: device.accountId,
  shared: device.accountId === null,
  mode: device.mode,
  kind: device.kind,
  name: device.name,
  state: device.state,
  draining: device.isDraining,
  senders: device.senders,
  settings: device.settings,
  has_secrets: device.hasSecrets,
  pace:
    device.pace === null
      ? null
      : { parts_per_window: device.pace.partsPerWindow, window_seconds: device.pace.windowSeconds },
  report:
    device.report === null
      ? null
      : {
          status: device.report.status,
          reasons: device.report.reasons,
          reported_at: rfc3339(device.report.reportedAt),
          ...renderDeviceReport(device.report.body),
          in_flight: device.report.body.inFlight,
        },
  lease: device.lease === null ? null : { node: device.lease.node, until: rfc3339(device.lease.until) },
  group_id: device.groupId,
  created_at: rfc3339(device.createdAt),
})

/** Formats a device in one line. */
export function describeDevice(device: ListedDevice): string {
  const owner = device.accountId ?? 'shared'
  const settings = Object.entries(device.settings).map(([name, value]) => `${name}=${value}`)
  const health =
    device.report === null ? 'no report yet' : [device.report.status, ...device.report.reasons].join(' ')
  const node =
    device.lease === null ? [] : [`run by ${device.lease.node} until ${rfc3339(device.lease.until)}`]
  const group = device.groupId === null ? [] : [device.groupId]
  return [
    device.kind,
    device.mode,
    owner,
    device.state,
    health,
    ...node,
    ...group,
    device.name,
    ...settings,
  ].join('  ')
}

export interface DeviceCheck {
  name: string
  ok: boolean
  summary: string
}

/** Checks whether a device can send, by its stored state. */
export function examineDevice(device: ListedDevice, kind: ConnectorKind | null): DeviceCheck[] {
  const checks: DeviceCheck[] = [
    kind === null
      ? { name: 'kind', ok: false, summary: `Unknown kind ${device.kind}: this version does not support it.` }
      : { name: 'kind', ok: true, summary: `Kind ${device.kind} is supported.` },
    device.state === 'enabled'
      ? { name: 'enabled', ok: true, summary: 'The device is enabled.' }
      : {
          name: 'enabled',
          ok: false,
          summary: `The device is ${device.state}: ${ownCommand()} device set ${device.id} --enable`,
        },
  ]
  if (kind !== null) checks.push(settingsCheck(device, kind))
  checks.push(healthCheck(device))
  return checks
}

/** Checks the settings by the rules of the kind. */
function settingsCheck(device: ListedDevice, kind: ConnectorKind): DeviceCheck {
  const troubles = settingTroubles(device, kind)
  return troubles.length === 0
    ? { name: 'settings', ok: true, summary: 'The settings are valid.' }
    : { name: 'settings', ok: false, summary: `Settings: ${troubles.join('; ')}.` }
}

function healthCheck({ report }: ListedDevice): DeviceCheck {
  if (report === null) return { name: 'health', ok: false, summary: 'No report yet: is the server running?' }
  const reasons = report.reasons.length === 0 ? '' : ` (${report.reasons.join(', ')})`
  const summary = `Reported at ${rfc3339(report.reportedAt)}: ${report.status}${reasons}.`
  return { name: 'health', ok: report.status === 'online' || report.status === 'degraded', summary }
}
