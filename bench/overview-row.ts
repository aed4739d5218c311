import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readTraffic } from '../src/api/console/messages/overview-calls.ts'
import { openDatabaseFile } from '../src/storage/sqlite/database-file.ts'
import { readMigrations } from '../src/storage/seam/migrate.ts'
import type { BenchRun } from './bench-run.ts'
import { type Figure, latencyOf } from './figure.ts'
import { percentiles } from './percentiles.ts'

const sixHoursMs = 21_600_000
const days = 97
const accounts = 20
const readings = 200
/** An open web of phones spreads its times; a simulator needs two steps. */
const steps = 20
const maxMs = 50

/** Row 12: what the console's overview reads for 90 days of an account that sent 5 million messages, without a quiet hour. */
export async function measureOverview(run: BenchRun): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-bench-overview-'))
  try {
    const file = join(folder, 'counts.db')
    const nowMs = Date.now()
    await fill(file, nowMs, Math.round(run.lengths.largeDatabase / (days * 4)))
    const opened = openDatabaseFile(file)
    const times: number[] = []
    for (let i = -10; i < readings; i++) {
      const startedMs = performance.now()
      await readTraffic(opened.db, { accountId: 'acc_7', mode: 'live' }, '90d', nowMs)
      if (i >= 0) times.push(performance.now() - startedMs)
    }
    await opened.close()
    const { p50, p99 } = percentiles(times)
    const name = `console overview, 90 days of ${run.lengths.largeDatabase.toLocaleString('en')} messages`
    return [
      {
        row: 12,
        name,
        value: latencyOf({ p50, p99 }),
        bar: { kind: 'most', most: maxMs, is: p99, unit: 'ms' },
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fill(file: string, nowMs: number, perBucket: number): Promise<void> {
  const database = new DatabaseSync(file)
  for (const { statements } of await readMigrations('sqlite')) database.exec(statements)
  const lastMs = nowMs - (nowMs % sixHoursMs)
  const buckets = `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${days * 4 - 1}),
    a (i) as (select 0 union all select i + 1 from a where i < ${accounts - 1})`
  database.exec(`begin; ${buckets} insert into traffic (account_id, mode, grain, bucket, accepted, delivered, failed)
    select 'acc_' || a.i, 'live', 'hours6', ${lastMs} - n.i * ${sixHoursMs}, ${perBucket}, ${perBucket - 3}, 3 from n, a`)
  database.exec(`${buckets}, s (i) as (select 0 union all select i + 1 from s where i < ${steps - 1}), m (name) as (values ('to_sent'), ('to_delivered'))
    insert into traffic_times select 'acc_' || a.i, 'live', 'hours6', ${lastMs} - n.i * ${sixHoursMs}, m.name, s.i, ${Math.ceil(perBucket / steps)}
    from a, n, m, s order by 1, 4, 5, 6; commit`)
  database.close()
}
