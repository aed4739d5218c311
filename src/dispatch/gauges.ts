import type { Metrics } from '../metrics.ts'
import type { Db } from '../storage/dialect.ts'
import type { DevicePool } from './device-pool.ts'

/** What is measured only when somebody asks for the metrics. */
export function addGauges(deps: {
  metrics: Metrics
  pool: DevicePool
  read: Db
  walBytes: () => Promise<number>
}): void {
  const { metrics, pool, read } = deps
  metrics.gauge('wal_bytes', 'Bytes in the write-ahead log.', deps.walBytes)
  metrics.gauge('hand_overs_open', 'Hand-overs that have not ended.', () =>
    pool.all.reduce((sum, device) => sum + device.open, 0),
  )
  metrics.gauge(
    'devices_online',
    'Running devices that can send.',
    () => pool.all.filter((device) => device.candidate().health !== 'offline').length,
  )
  metrics.gauge('messages_waiting', 'Messages in the queue that no device has.', async () => {
    const row = await read
      .selectFrom('queue_totals')
      .select(({ fn }) => fn.sum<number>('messages').as('waiting'))
      .executeTakeFirst()
    return row?.waiting ?? 0
  })
}
