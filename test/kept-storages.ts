import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { readConfig } from '../src/config.ts'
import type { HotUnits } from '../src/messages/units.ts'
import { databaseFile } from '../src/process/data-folder.ts'
import type { Storage } from '../src/storage/seam/storage.ts'
import { postgresSettingsOf } from '../src/storage/open/open-storage.ts'
import { PostgresSignals } from '../src/storage/postgres/postgres-signals.ts'
import type { Signals } from '../src/storage/seam/signals.ts'
import { atFileEnd } from './at-file-end.ts'
import { openNearStorage } from './near-storage.ts'
import { openFolder } from './open-folder.ts'
import { withDatabase } from './postgres-server.ts'
import { isPostgres, makeTestFolder, removeTestFolder } from './test-database.ts'

/**
 * The storages of a worker: opened once, emptied between the tests of its files. Near ones on the embedded database, those of the program on PostgreSQL.
 * What a test does to the threads, the file or the tables themselves needs `openRealStorage`.
 */
export interface KeptStorage {
  dataFolder: string
  storage: Storage<HotUnits>
}

interface Kept extends KeptStorage {
  /** What listens for other nodes, which is not used again once it was closed. */
  openSignals(): Signals | null
  /** Removes every row; gives whether plans are made as on new tables: without statistics, and of few pages. */
  clear(): Promise<boolean>
  /** Ends what it holds open. */
  end(): Promise<void>
}

const free: Kept[] = []
const taken = new Map<string, Kept>()

/** As many as most files take at once; more than these are open for the file that took them. */
const maxFree = 3

atFileEnd(async () => {
  const left = [...taken.values()]
  taken.clear()
  const discarded = await Promise.allSettled([...free.splice(maxFree), ...left].map(discard))
  for (const each of discarded) if (each.status === 'rejected') throw each.reason
  if (left.length > 0)
    throw new Error(
      `close() was not called on the storages of ${left.map(({ dataFolder }) => dataFolder).join(', ')}`,
    )
})

if (isPostgres) watchPools()

/** What the types of the driver leave out. */
interface Referred {
  ref(): void
  unref(): void
}

/** Pools of kept storages: each has a listener for errors from its beginning. */
const keptPools = new WeakSet<pg.Pool>()
let isOpening = false

/** The connections of kept storages outlive a test file: they keep no event loop running, and are none of its leftovers. All others are. */
function watchPools(): void {
  const pool = pg.Pool.prototype as unknown as { on(...args: unknown[]): unknown }
  const { on } = pool
  Object.assign(pool, {
    on(this: pg.Pool, ...args: unknown[]): unknown {
      if (isOpening && !keptPools.has(this)) {
        keptPools.add(this)
        on.call(this, 'connect', (client: Referred) => {
          client.unref()
          // The pool calls it on each client that it gives out.
          client.ref = () => undefined
        })
      }
      return on.apply(this, args)
    },
  })
}

async function discard({ dataFolder, end }: Kept): Promise<void> {
  await end()
  await removeTestFolder(dataFolder)
}

/** An empty storage in an empty folder, until it is given back. */
export async function takeStorage(nowMs: number): Promise<KeptStorage> {
  const kept = free.pop() ?? (await (isPostgres ? keepPostgres : keepNear)(nowMs))
  taken.set(kept.dataFolder, kept)
  const { dataFolder, storage } = kept
  const close = (): Promise<void> => storage.writer.drain()
  return { dataFolder, storage: { ...storage, signals: kept.openSignals(), close } }
}

export async function giveStorageBack(dataFolder: string): Promise<void> {
  const kept = taken.get(dataFolder)
  if (kept === undefined) throw new Error(`${dataFolder} was given back already`)
  taken.delete(dataFolder)
  const isAsNew = await kept.clear().catch(async (error: unknown) => {
    await discard(kept)
    throw error
  })
  if (!isAsNew) return discard(kept)
  const file = basename(databaseFile(dataFolder))
  const strangers = (await readdir(dataFolder)).filter((name) => !name.startsWith(file))
  for (const name of strangers) await rm(join(dataFolder, name), { recursive: true })
  free.push(kept)
}

async function keepNear(nowMs: number): Promise<Kept> {
  const dataFolder = await makeTestFolder()
  const storage = await openNearStorage(dataFolder, nowMs)
  return {
    dataFolder,
    storage,
    openSignals: () => null,
    clear: () => storage.clear(),
    end: () => storage.close(),
  }
}

/** Up to ten pages are planned as ten, unless a vacuum counted rows (estimate_rel_size in PostgreSQL's plancat.c). */
const wornTables = `
  select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    and (pg_relation_size(oid) > 10 * 8192 or reltuples >= 0 or oid in (select starelid from pg_statistic)) limit 1`

async function keepPostgres(nowMs: number): Promise<Kept> {
  const dataFolder = await makeTestFolder()
  isOpening = true
  const opened = await openFolder(dataFolder, nowMs).finally(() => void (isOpening = false))
  const storage: typeof opened = {
    ...opened,
    openLongReads() {
      isOpening = true
      try {
        return opened.openLongReads()
      } finally {
        isOpening = false
      }
    },
  }
  const url = withDatabase(inject('postgresUrl'), basename(dataFolder))
  const admin = new pg.Client({ connectionString: url })
  // Where its server is killed, the next statement says so.
  admin.on('error', () => undefined)
  await admin.connect()
  ;(admin as unknown as Referred).unref()
  const { rows } = await admin.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations'`,
  )
  // As a replica nothing checks foreign keys or runs triggers: the order of the tables does not matter.
  const deletes = rows.map(({ name }) => `delete from "${name}";`).join(' ')
  return {
    dataFolder,
    storage,
    openSignals: () => new PostgresSignals(postgresSettingsOf(readConfig({}), url)),
    async clear() {
      await storage.writer.drain()
      await admin.query(`begin; set local session_replication_role = replica; ${deletes} commit`)
      const { rows: worn } = await admin.query(wornTables)
      return worn.length === 0
    },
    async end() {
      await storage.close()
      await admin.end()
    },
  }
}
