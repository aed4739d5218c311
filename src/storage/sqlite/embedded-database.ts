import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Kysely } from 'kysely'
import { databaseFile, makeDataFolder } from '../../process/data-folder.ts'
import { openCrossing } from '../seam/crossing.ts'
import { Damage, damagedSentence } from '../seam/damage.ts'
import { type Db, StorageError, type Units } from '../seam/dialect.ts'
import { emptyLog } from './empty-log.ts'
import { refuseLostDatabase } from '../instance/lost-database.ts'
import { migrate, readMigrations } from '../seam/migrate.ts'
import type { Database } from '../tables/schema.ts'
import type { WorkerSettings } from './sqlite-protocol.ts'
import { SqliteThread } from './sqlite-thread.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import type { Storage, StorageSizes } from '../seam/storage.ts'
import { UnusableError } from '../seam/unusable-error.ts'
import { Writer } from '../seam/writer.ts'
import type { ReportUpgrade } from '../seam/upgrade-progress.ts'

export interface EmbeddedSettings {
  dataFolder: string
  busyTimeoutMs: number
  cacheKiB: number
  /** A module that exports `units`. */
  unitsModule?: URL
  /** Limits how much merged calls of a unit bring into one transaction. */
  maxMergedWeight?: number
  reportUpgrade?: ReportUpgrade | undefined
}

/**
 * Cache size of a reader as a share of the writer's: the operating system caches pages too, and a reader
 * seldom reads one twice.
 */
const readerCacheShare = 0.25

/**
 * Opens the embedded database in `dataFolder`, creates it if needed, and upgrades its schema. Throws if
 * SQLite does not flush each commit (P1): the setting is read back after the first write, because a wrapper
 * can change it silently.
 */
export async function openEmbedded<U extends Units = Units>(
  settings: EmbeddedSettings,
  nowMs: number,
): Promise<Storage<U>> {
  await makeDataFolder(settings.dataFolder)
  await refuseLostDatabase(settings.dataFolder)
  const { file, damage, writing, openReading, openAnother } = openThreads(settings)
  const connect = (over: SqliteThread): Db => new Kysely<Database>({ dialect: sqliteDialect(over) })
  const writeDb = openCrossing(sqliteDialect(writing))
  const writer = new Writer(writeDb)
  try {
    await migrate(writer, await readMigrations('sqlite'), nowMs, settings.reportUpgrade)
    await refuseUnsafeSync(writing)
  } catch (error) {
    await writeDb.destroy()
    throw unusableIfDamaged(error)
  }
  const readingForAll = openReading()
  const reader = connect(readingForAll)
  const further: Db[] = []
  return {
    read: reader,
    priorityRead: reader,
    readOf: () => reader,
    writer,
    cluster: null,
    signals: null,
    damage,
    died: Promise.race([writing.died, readingForAll.died]),
    runUnit: (name, input) => writing.runUnit(name, input) as ReturnType<U[typeof name]>,
    async flushTimes() {
      const { rows = [] } = await writing.execute({ op: 'flush-times', sql: '', values: [] })
      const [p50Ms = 0, p99Ms = 0] = (rows[0] ?? []) as number[]
      return { p50Ms, p99Ms }
    },
    sizes: () => measure(writing, file),
    emptyLog: () => emptyLogOver(connect(openAnother())),
    checkpoint: async () =>
      void (await writing.execute({ op: 'exec', sql: 'pragma wal_checkpoint(passive)', values: [] })),
    openLongReads() {
      const opened = connect(openReading())
      further.push(opened)
      return () => opened
    },
    async close() {
      await writer.drain()
      await Promise.all([reader, ...further].map((db) => db.destroy()))
      await writeDb.destroy()
    },
  }
}

/** Starts the thread that writes, and returns how to start more, which all report to the same `damage`. */
function openThreads({ dataFolder, unitsModule, maxMergedWeight = 1, ...settings }: EmbeddedSettings) {
  const { busyTimeoutMs, cacheKiB } = settings
  const file = databaseFile(dataFolder)
  const damage = new Damage()
  const open = (more: Partial<WorkerSettings> = {}): SqliteThread =>
    new SqliteThread({ file, busyTimeoutMs, cacheKiB, readOnly: false, ...more }, damage)
  return {
    file,
    damage,
    writing: open(unitsModule === undefined ? {} : { unitsModule: unitsModule.href, maxMergedWeight }),
    openReading: () => open({ readOnly: true, cacheKiB: Math.ceil(cacheKiB * readerCacheShare) }),
    openAnother: () => open(),
  }
}

/** A later start would fail in the same way. */
const unusableIfDamaged = (error: unknown): unknown =>
  error instanceof StorageError && error.fault === 'damaged'
    ? new UnusableError(damagedSentence(error), { cause: error })
    : error

/** Uses a separate connection, which is then closed: the writing one is nearly always in a transaction. */
async function emptyLogOver(db: Db): Promise<boolean> {
  try {
    return await emptyLog(db)
  } finally {
    await db.destroy()
  }
}

async function measure(writing: SqliteThread, file: string): Promise<StorageSizes> {
  const [wal, { size }, { bavail, bsize }] = await Promise.all([
    writing.execute({ op: 'wal-bytes', sql: '', values: [] }),
    stat(file),
    statfs(dirname(file)),
  ])
  return { databaseBytes: size, walBytes: wal.changes ?? 0, diskFreeBytes: bavail * bsize }
}

/** SQLite's `synchronous`: 2 is FULL, 3 is EXTRA (sqlite.org/pragma.html#pragma_synchronous). */
async function refuseUnsafeSync(writing: SqliteThread): Promise<void> {
  const level = (await writing.execute({ op: 'synchronous', sql: '', values: [] })).changes ?? 0
  if (level < 2) {
    throw new Error(
      `SQLite runs with synchronous=${level}: a power cut could lose accepted messages. onesixty needs 2 (FULL).`,
    )
  }
}
