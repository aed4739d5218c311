import { rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import type { DeviceReportBody } from '../../storage/tables/json-columns.ts'

/**
 * Renders the last report of a device for the API and the command line; every member is null without a
 * report.
 */
export function renderDeviceReport(report: DeviceReportBody | null) {
  return {
    link: report?.link ?? null,
    last_seen_at: rfc3339OrNull(report?.lastSeenAt),
    next_contact_expected_by: rfc3339OrNull(report?.nextContactExpectedBy),
    app_version: report?.appVersion ?? null,
    battery: report?.battery
      ? { percent: report.battery.percent, charging: report.battery.charging, at: rfc3339(report.battery.at) }
      : null,
    ...renderRadio(report),
    throughput: renderThroughput(report),
    last_sent_at: rfc3339OrNull(report?.lastSentAt),
    last_error: report?.lastError ?? null,
    sim_credit: report?.credit ? { ...report.credit, at: rfc3339(report.credit.at) } : null,
    balance: report?.balance ? { ...report.balance, at: rfc3339(report.balance.at) } : null,
  }
}

function renderRadio(report: DeviceReportBody | null) {
  const { network = null, sims = [], capabilities = null } = report ?? {}
  return {
    network: network && {
      registered: network.registered,
      roaming: network.roaming,
      operator: network.operator,
      signal_dbm: network.signalDbm,
      transport: network.transport,
      at: rfc3339(network.at),
    },
    sims: sims.map(({ slot, number, carrier }) => ({ slot, number, carrier })),
    capabilities: capabilities && {
      delivery_reports: capabilities.deliveryReports,
      max_parts: capabilities.maxParts,
      alphanumeric_sender: capabilities.alphanumericSender,
    },
  }
}

function renderThroughput(report: DeviceReportBody | null) {
  const pace = report?.throughput ?? null
  return (
    pace && {
      parts_per_window: pace.partsPerWindow,
      window_seconds: pace.windowSeconds,
      remaining: pace.remaining,
      resets_at: rfc3339OrNull(pace.resetsAt),
    }
  )
}
