import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Client } from 'pg'
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
 * Storages that are opened once and emptied between tests: near ones on the embedded database, for all files of a worker, those of the program on
 * PostgreSQL, for one file. What a test does to the threads, the file or the tables themselves needs `openRealStorage`.
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

/** As many as most files take at once. Those of PostgreSQL hold connections, which would be leftovers of the file. */
const maxFree = isPostgres ? 0 : 3

atFileEnd(async () => {
  const left = [...taken.values()]
  taken.clear()
  const discarded = await Promise.allSettled([...free.splice(maxFree), ...left].map(discard))
  for (const each of discarded) if (each.status === 'rejected') throw each.reason
  const folders = left.map(({ dataFolder }) => dataFolder).join(', ')
  if (folders !== '') throw new Error(`close() was not called on the storages of ${folders}`)
})

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

/** Up to ten pages are planned as ten (estimate_rel_size in PostgreSQL's plancat.c). */
const wornTables = `
  select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    and (pg_relation_size(oid) > 10 * 8192 or oid in (select starelid from pg_statistic)) limit 1`

async function keepPostgres(nowMs: number): Promise<Kept> {
  const dataFolder = await makeTestFolder()
  const storage = await openFolder(dataFolder, nowMs)
  const url = withDatabase(inject('postgresUrl'), basename(dataFolder))
  const admin = new Client({ connectionString: url })
  await admin.connect()
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
