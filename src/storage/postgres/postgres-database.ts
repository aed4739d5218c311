import { Kysely, sql } from 'kysely'
import type { Pool } from 'pg'
import { RecentTimes } from '../../runtime/recent-times.ts'
import { openCrossing } from '../seam/crossing.ts'
import type { Storage } from '../seam/storage.ts'
import type { Db, Units, UnitsModule } from '../seam/dialect.ts'
import type { NextLanes } from '../seam/lanes.ts'
import { mergedUnits } from '../seam/merged-units.ts'
import { migrate, readMigrations } from '../seam/migrate.ts'
import { learnTables } from '../seam/sets.ts'
import { laneLocks } from './lane-locks.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { createAccountReads } from './account-reads.ts'
import {
  createPostgresPool,
  endPool,
  type PostgresSettings,
  readOnly,
  withClient,
} from './postgres-client.ts'
import { readCluster, refuseUnsafeServer } from './postgres-safety.ts'
import { ensureReader, secureRows } from './row-security.ts'
import { PostgresSignals } from './postgres-signals.ts'
import type { Database } from '../tables/schema.ts'
import { Writer } from '../seam/writer.ts'
import type { ReportUpgrade } from '../seam/upgrade-progress.ts'

/**
 * Settings of the connection that writes. Its constant statements look up sets of keys. They are planned
 * once, not each time, and joined row by row by an index regardless of statistics, so that a plan made for an
 * empty table is right for a full one (docs/decisions/0030-plans-of-the-writer.md).
 */
const keyedPlans = {
  plan_cache_mode: 'auto',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
} as const

/** Connections of the dispatcher, the sweepers and all other reads that are not for one account. */
const readersForAll = 4

/**
 * Connections of the priority reads, which identify callers and check opt-outs: few rows each, mostly
 * answered from memory.
 */
const readersAtDoor = 2

const databaseSize = sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`

export interface ServedSettings extends PostgresSettings {
  /** True if nodes wake each other. */
  listens?: boolean
  /** A module that exports `units`. */
  unitsModule?: URL
  /** Limits how much merged calls of a unit bring into one transaction. */
  maxMergedWeight?: number
  reportUpgrade?: ReportUpgrade | undefined
}

/** PostgreSQL manages its log itself. */
const serversLog = { emptyLog: async () => null, checkpoint: async () => undefined }

function openWriter(pool: Pool, flushTimes: RecentTimes): Writer {
  const next: NextLanes = { lanes: null }
  return new Writer(openCrossing(postgresDialect(pool, { locks: laneLocks, next, flushTimes })), { next })
}

/** On connections of its own: an upgrade may rewrite large tables, for which there is no time limit. */
async function upgrade(settings: ServedSettings, nowMs: number): Promise<string[]> {
  const pool = createPostgresPool({ ...settings, isLimitedByServer: true }, 2, keyedPlans, refuseUnsafeServer)
  try {
    const writer = openWriter(pool, new RecentTimes())
    return await migrate(writer, await readMigrations('postgres'), nowMs, settings.reportUpgrade)
  } finally {
    await endPool(pool)
  }
}

/** Upgrades the schema, and learns what the writer needs to know of it. Ends the pool if that fails. */
async function prepareDatabase(
  settings: ServedSettings,
  { writing, writer }: { writing: Pool; writer: Writer },
  nowMs: number,
): Promise<{ migrated: string[]; cluster: string }> {
  try {
    const cluster = await withClient(writing, readCluster)
    await ensureReader(writer)
    const migrated = await upgrade(settings, nowMs)
    await secureRows(writer)
    await writer.write(learnTables)
    return { migrated, cluster }
  } catch (error) {
    await writing.end()
    throw error
  }
}

/**
 * Opens the database on a PostgreSQL server and upgrades its schema. Rejects a server that does not flush
 * each commit (P1) or is older than 15. Units run in this thread: the flush happens on the server.
 */
export async function openPostgres<U extends Units = Units>(
  settings: ServedSettings,
  nowMs: number,
): Promise<Storage<U> & { migrated: readonly string[] }> {
  const flushTimes = new RecentTimes()
  // The writer uses one at a time; the other queries the outcome of a COMMIT whose connection was lost.
  const writing = createPostgresPool(settings, 2, keyedPlans, refuseUnsafeServer)
  const writer = openWriter(writing, flushTimes)
  const { migrated, cluster } = await prepareDatabase(settings, { writing, writer }, nowMs)
  const runUnit = await unitRunner(settings, writer)
  const accountReads = createAccountReads(settings)
  const reading = [accountReads.pool]
  const connect = (connections: number): Db => {
    const pool = createPostgresPool(settings, connections, readOnly)
    reading.push(pool)
    return new Kysely<Database>({ dialect: postgresDialect(pool) })
  }
  const read = connect(readersForAll)
  return {
    migrated,
    cluster,
    signals: settings.listens === true ? new PostgresSignals(settings) : null,
    damage: null,
    read,
    priorityRead: connect(readersAtDoor),
    readOf: accountReads.of,
    writer,
    runUnit: runUnit as Storage<U>['runUnit'],
    // A server that is unavailable comes back; no process needs to end for that.
    died: new Promise(() => undefined),
    async flushTimes() {
      const [p50Ms = 0, p99Ms = 0] = flushTimes.percentiles([0.5, 0.99])
      return { p50Ms, p99Ms }
    },
    ...serversLog,
    async sizes() {
      const { rows } = await databaseSize.execute(read)
      return { databaseBytes: rows[0]?.bytes ?? 0, walBytes: null, diskFreeBytes: null }
    },
    openLongReads() {
      const longReads = createAccountReads({ ...settings, readers: 1 })
      reading.push(longReads.pool)
      return longReads.of
    },
    async close() {
      await writer.drain()
      await Promise.all([...reading, writing].map(endPool))
    },
  }
}

async function unitRunner(
  { unitsModule, maxMergedWeight = 1 }: ServedSettings,
  writer: Writer,
): Promise<(name: string, input: unknown) => Promise<unknown>> {
  const {
    units,
    merging = {},
    accountsOf = {},
  }: UnitsModule = unitsModule === undefined
    ? { units: {} }
    : ((await import(unitsModule.href)) as UnitsModule)
  const merged = mergedUnits({ writer, units, merging, accountsOf, maxWeight: maxMergedWeight })
  return async (name, input) => {
    const unit = units[name]
    if (unit === undefined) throw new Error(`unknown unit ${name}`)
    const run = merged.get(name)
    if (run !== undefined) return run(input)
    const accounts = (): Iterable<string> | null => accountsOf[name]?.(input as never) ?? null
    return writer.writeFor(accounts, (tx) => unit(tx, input as never))
  }
}
