import type { Generator } from './generator.ts'

/** `deploy/grafana-dashboard.json`: what `/metrics` tells, as panels. It asks for its data source when it is imported. */
export const grafanaDashboard: Generator = {
  path: 'deploy/grafana-dashboard.json',
  render: async () => `${JSON.stringify(dashboard(), null, 2)}\n`,
}

interface Panel {
  title: string
  unit: string
  /** By legend; `{{label}}` stands for a label's value. */
  queries: Readonly<Record<string, string>>
}

const perSecond = (metric: string, by = ''): string => `sum${by} (rate(${metric}[$__rate_interval]))`
const quantile = (q: number, metric: string, by: string): string =>
  `histogram_quantile(${q}, sum by (${by}, le) (rate(${metric}_bucket[$__rate_interval])))`

/**
 * Counts of what waits come from the database that all nodes share: the greatest, never their sum. A device is counted by each node that
 * runs it, a link by one and a phone by all: once by its id.
 */
const sections: Readonly<Record<string, readonly Panel[]>> = {
  Messages: [
    { title: 'Accepted', unit: 'reqps', queries: { messages: perSecond('onesixty_messages_accepted_total'), parts: perSecond('onesixty_parts_accepted_total') } },
    { title: 'Statuses reached', unit: 'reqps', queries: { '{{status}}': perSecond('onesixty_message_states_total', ' by (status)') } },
    { title: 'Queued', unit: 'short', queries: { messages: 'max(onesixty_messages_queued)' } },
    { title: 'Submissions by outcome, and offers to phones', unit: 'reqps', queries: { '{{outcome}}': perSecond('onesixty_submissions_total', ' by (outcome)') } },
  ],
  Requests: [
    { title: 'Requests', unit: 'reqps', queries: { '{{operation}} {{status}}': perSecond('onesixty_request_seconds_count', ' by (operation, status)') } },
    { title: 'Response time, p99', unit: 's', queries: { '{{operation}}': quantile(0.99, 'onesixty_request_seconds', 'operation') } },
    { title: 'Response time, p50', unit: 's', queries: { '{{operation}}': quantile(0.5, 'onesixty_request_seconds', 'operation') } },
    { title: 'Rejected', unit: 'reqps', queries: { '{{code}}': perSecond('onesixty_requests_refused_total', ' by (code)') } },
  ],
  Devices: [
    { title: 'State: 2 online, 1 degraded, 0 not', unit: 'short', queries: { '{{device}}': 'max by (device) (onesixty_device_state)' } },
    { title: 'Devices that can send, in test mode too', unit: 'short', queries: { devices: 'count(max by (device) (onesixty_device_state) > 0) or vector(0)' } },
    { title: 'Window in use', unit: 'percentunit', queries: { '{{device}}': 'max by (device) (onesixty_device_in_flight) / max by (device) (onesixty_device_window)' } },
    { title: 'Throughput limit, parts per second', unit: 'reqps', queries: { '{{device}}': 'max by (device) (onesixty_device_parts_per_second)' } },
    { title: 'SMSC responses', unit: 'reqps', queries: { '{{device}} {{status}}': perSecond('onesixty_smpp_responses_total', ' by (device, status)') } },
    { title: 'SMSC response time, p99', unit: 's', queries: { '{{device}}': quantile(0.99, 'onesixty_smpp_response_seconds', 'device') } },
    { title: 'Sessions lost', unit: 'short', queries: { '{{device}}': 'sum by (device) (increase(onesixty_smpp_sessions_lost_total[$__rate_interval]))' } },
    { title: 'Unmatched receipts', unit: 'short', queries: { '{{device}}': 'max by (device) (onesixty_device_unmatched_receipts)' } },
  ],
  Nodes: [
    { title: 'Up', unit: 'short', queries: { '{{instance}}': 'up{job="onesixty"}' } },
    { title: 'Submissions in flight', unit: 'short', queries: { '{{instance}}': 'onesixty_submissions_in_flight' } },
    { title: 'Cores used', unit: 'short', queries: { '{{instance}}': 'rate(onesixty_process_cpu_seconds_total[$__rate_interval])' } },
    { title: 'Memory', unit: 'bytes', queries: { '{{instance}}': 'onesixty_process_resident_memory_bytes' } },
    { title: 'Event loop delay, p99', unit: 's', queries: { '{{instance}}': 'onesixty_nodejs_eventloop_lag_p99_seconds' } },
    { title: 'Time in garbage collection', unit: 'percentunit', queries: { '{{instance}}': 'sum by (instance) (rate(onesixty_nodejs_gc_duration_seconds_sum[$__rate_interval]))' } },
    { title: 'Open file descriptors', unit: 'short', queries: { '{{instance}}': 'onesixty_process_open_fds' } },
    { title: 'Database', unit: 'bytes', queries: { database: 'max(onesixty_database_bytes)' } },
    { title: 'Write-ahead log', unit: 'bytes', queries: { '{{instance}}': 'onesixty_wal_bytes' } },
  ],
} // prettier-ignore

const columns = 4
const panelWidth = 24 / columns
const panelHeight = 8

function dashboard(): object {
  const panels: object[] = []
  let y = 0
  for (const [title, section] of Object.entries(sections)) {
    panels.push({ id: panels.length + 1, type: 'row', title, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] })
    y += 1
    for (const [i, panel] of section.entries()) {
      const gridPos = {
        x: (i % columns) * panelWidth,
        y: y + Math.floor(i / columns) * panelHeight,
        w: panelWidth,
        h: panelHeight,
      }
      panels.push(timeSeries(panels.length + 1, panel, gridPos))
    }
    y += Math.ceil(section.length / columns) * panelHeight
  }
  const input = { name: 'DS_PROMETHEUS', label: 'Prometheus', type: 'datasource', pluginId: 'prometheus' }
  return {
    __inputs: [input],
    uid: 'onesixty',
    title: 'onesixty',
    tags: ['onesixty'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [] },
    annotations: { list: [] },
    panels,
  }
}

const datasource = { type: 'prometheus', uid: '${DS_PROMETHEUS}' }

const timeSeries = (id: number, { title, unit, queries }: Panel, gridPos: object): object => ({
  id,
  type: 'timeseries',
  title,
  gridPos,
  datasource,
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  targets: Object.entries(queries).map(([legendFormat, expr], i) => ({
    refId: 'ABCD'[i],
    datasource,
    expr,
    legendFormat,
  })),
})
