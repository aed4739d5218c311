import { isPull } from '../../connectors/connector.ts'
import type { Metrics } from '../../process/metrics.ts'
import type { StorageSizes } from '../../storage/seam/storage.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Signals } from '../../storage/seam/signals.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import type { DevicePool } from './device-pool.ts'

const linksOf = (pool: DevicePool) =>
  pool.all.flatMap((device) => (isPull(device.link) ? [] : [{ device, link: device.link }]))

interface GaugesDeps {
  metrics: Metrics
  pool: DevicePool
  read: Db
  sizes: () => Promise<StorageSizes>
  writer: Pick<Writer, 'widened'>
  signals: Signals | null
}

/** Adds the gauges that are measured only when the metrics are scraped. */
export function addGauges(deps: GaugesDeps): void {
  addStorageGauges(deps)
  addLinkGauges(deps)
  const { metrics, pool, read } = deps
  metrics.gauge('submissions_in_flight', 'Submissions in flight.', () =>
    pool.all.reduce((sum, device) => sum + device.inFlight, 0),
  )
  metrics.gauge(
    'devices_online',
    'Running devices that can send live messages.',
    () =>
      pool.all
        .map((device) => device.candidate())
        .filter(({ mode, health }) => mode === 'live' && health !== 'offline').length,
  )
  const states = { offline: 0, pending: 0, degraded: 1, online: 2 } as const
  metrics.deviceGauge('device_state', 'Whether a device can send: 2 online, 1 degraded, 0 not.', () =>
    pool.all.map((device) => [device.facts.id, states[device.health.status]]),
  )
  metrics.deviceGauge(
    'provider_balance',
    'Balance of the account at a messaging service, in its currency.',
    () =>
      pool.all.flatMap((device) => {
        const { balance } = device.health
        return balance === undefined ? [] : [[device.facts.id, balance.amount] as [string, number]]
      }),
  )
  metrics.deviceGauge('device_unmatched_receipts', 'Receipts whose ID matches no attempt.', async () => {
    const rows = await read
      .selectFrom('parked_receipts')
      .select(({ fn }) => ['device_id', fn.countAll<number>().as('parked')])
      .where('reading', '=', 0)
      .groupBy('device_id')
      .execute()
    return rows.map((row) => [row.device_id, row.parked])
  })
  metrics.deviceGauge(
    'device_plan_used_ratio',
    'Largest share that was used of any limit of the SIM plans of a device: 1 is reached.',
    () => pool.plans.shares(),
  )
  metrics.gauge('messages_queued', 'Messages in the queue.', async () => {
    const row = await read
      .selectFrom('queue_totals')
      .select(({ fn }) => fn.sum<number>('messages').as('waiting'))
      .executeTakeFirst()
    return row?.waiting ?? 0
  })
}

function addLinkGauges({ metrics, pool }: GaugesDeps): void {
  metrics.deviceGauge('device_in_flight', 'Submissions in flight on an SMPP connection.', () =>
    linksOf(pool).map(({ device }) => [device.facts.id, device.inFlight]),
  )
  metrics.deviceGauge('device_window', 'Submissions that an SMPP connection may have in flight.', () =>
    linksOf(pool).map(({ device, link }) => [device.facts.id, link.window]),
  )
  metrics.deviceGauge(
    'device_parts_per_second',
    'Parts per second that the SMSC of a connection accepts; +Inf without a limit.',
    () =>
      linksOf(pool).flatMap(({ device, link }) =>
        link.perSecond === undefined ? [] : [[device.facts.id, link.perSecond] as [string, number]],
      ),
  )
}

function addStorageGauges({ metrics, sizes, signals, writer }: GaugesDeps): void {
  metrics.gauge('database_bytes', 'Bytes of the database.', async () => (await sizes()).databaseBytes)
  metrics.gauge(
    'wal_bytes',
    'Bytes in the write-ahead log of the embedded database; 0 on PostgreSQL, which has its own metrics.',
    async () => (await sizes()).walBytes ?? 0,
  )
  metrics.gauge(
    'cluster_listening',
    '1 while this node receives broadcasts from its peers, or has none; else 0.',
    () => (signals?.isListening === false ? 0 : 1),
  )
  metrics.gauge(
    'transactions_widened',
    'Transactions since the start that ran at the same time as those of other nodes, and had to run again without them.',
    () => writer.widened,
  )
}
