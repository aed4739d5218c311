import { readOldestDue } from '../../../messages/queue/queue-totals.ts'
import type { StorageSizes } from '../../../storage/seam/storage.ts'
import type { Db } from '../../../storage/seam/dialect.ts'

/** Measurements of the instance. */
export interface SystemHealth {
  version: string
  startedAt: number
  memoryBytes: number
  /** p99 of the event loop lag. */
  eventLoopLagP99Ms: number
  flush: { p50Ms: number; p99Ms: number }
  queue: { messages: number; parts: number; oldestDueAt: number | null }
  database: StorageSizes
  settings: { freeSms: number; publicUrl: string }
}

export interface HealthDeps {
  read: Db
  version: string
  startedAt: number
  eventLoopLagP99Ms: () => Promise<number>
  flushTimes: () => Promise<{ p50Ms: number; p99Ms: number }>
  sizes: () => Promise<StorageSizes>
  settings: () => SystemHealth['settings']
}

/** Measures the instance. */
export async function measureHealth(deps: HealthDeps): Promise<SystemHealth> {
  const [queue, eventLoopLagP99Ms, flush, database] = await Promise.all([
    readQueue(deps.read),
    deps.eventLoopLagP99Ms(),
    deps.flushTimes(),
    deps.sizes(),
  ])
  return {
    version: deps.version,
    startedAt: deps.startedAt,
    memoryBytes: process.memoryUsage.rss(),
    eventLoopLagP99Ms,
    flush,
    queue,
    database,
    settings: deps.settings(),
  }
}

async function readQueue(db: Db): Promise<SystemHealth['queue']> {
  const totals = await db
    .selectFrom('queue_totals')
    .select(({ fn }) => [fn.sum<number>('messages').as('messages'), fn.sum<number>('parts').as('parts')])
    .executeTakeFirst()
  return {
    messages: totals?.messages ?? 0,
    parts: totals?.parts ?? 0,
    oldestDueAt: await readOldestDue(db),
  }
}
