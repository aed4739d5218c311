import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Kysely } from 'kysely'
import { databaseFile, makeDataFolder } from '../process/data-folder.ts'
import { openCrossing } from './crossing.ts'
import { Damage, damagedSentence } from './damage.ts'
import { type Db, type ReadOf, type RunUnit, StorageError, type Units } from './dialect.ts'
import { emptyLog } from './empty-log.ts'
import { refuseLostDatabase } from './lost-database.ts'
import { migrate, readMigrations } from './migrate.ts'
import type { Database } from './schema.ts'
import type { Signals } from './signals.ts'
import type { WorkerSettings } from './sqlite-protocol.ts'
import { SqliteThread } from './sqlite-thread.ts'
import { sqliteDialect } from './sqlite.ts'
import { UnusableError } from './unusable.ts'
import { Writer } from './writer.ts'

/** The floor of the house: reads for everybody, one way to write. */
export interface Storage<U extends Units = Units> {
  read: Db
  /**
   * What calls and hand-overs wait for first: who calls, whether this node is ready, who has opted out. On PostgreSQL by connections of its own,
   * which no page and no janitor takes away.
   */
  readAtDoor: Db
  /** Reads for one account. On PostgreSQL they see nothing of another, whatever the query forgot (row-security.ts). */
  readOf: ReadOf
  writer: Writer
  /** The history that the database lies on (system identifier and timeline of the server); null on the embedded one. */
  cluster: string | null
  /** Between the nodes of the database; null where there is one, or where the settings say that nobody listens. */
  signals: Signals | null
  /** Runs a unit of the units module where the database is: the way of everything that is hot. Shares transactions with `writer`. */
  runUnit: RunUnit<U>
  /** Settles when the writing thread or the one that all read through has died: a server should end, and be started again. */
  died: Promise<Error>
  /** What was found damaged in the file of the embedded database; null where a server says it of each statement. */
  damage: Damage | null
  /** How long the last commits took, flush included. */
  flushTimes(): Promise<{ p50Ms: number; p99Ms: number }>
  sizes(): Promise<StorageSizes>
  /**
   * Takes the write-ahead log of the embedded database over into it and empties it, so that nothing of what was erased stands in it; false when
   * somebody read for too long. Null where the log is a server's matter.
   */
  emptyLog(): Promise<boolean | null>
  /** Takes over into the embedded database what its log holds, while no transaction is open: its file alone is a whole one then. */
  takeLogOver(): Promise<void>
  /** Reads for accounts by a connection of their own: long ones (exports), that must not stand in the way of short ones. */
  openLongReads(): ReadOf
  close(): Promise<void>
}

/** What the database takes of its disk, in bytes; null where that is a server's matter, which others use too. */
export interface StorageSizes {
  databaseBytes: number
  walBytes: number | null
  diskFreeBytes: number | null
}

export interface EmbeddedSettings {
  dataFolder: string
  busyTimeoutMs: number
  cacheKiB: number
  /** A module that exports `units`. */
  unitsModule?: URL
  /** Bounds what merged calls of a unit bring into one transaction. */
  maxMergedWeight?: number
}

/** A reader's share of the writer's cache: the system caches pages too, and a reader seldom reads one twice. */
const readerCacheShare = 0.25

/**
 * Opens the embedded database in `dataFolder`, creating it if need be, and brings its schema up to date. Refuses to go on
 * when SQLite does not flush each commit (P1): the setting is read back after the first write, because a wrapper has been
 * seen to fall back in silence.
 */
export async function openEmbedded<U extends Units = Units>(
  settings: EmbeddedSettings,
  nowMs: number,
): Promise<Storage<U>> {
  await makeDataFolder(settings.dataFolder)
  await refuseLostDatabase(settings.dataFolder)
  const { file, damage, writing, openReading, openBeside } = openThreads(settings)
  const connect = (over: SqliteThread): Db => new Kysely<Database>({ dialect: sqliteDialect(over) })
  const writeDb = openCrossing(sqliteDialect(writing))
  const writer = new Writer(writeDb)
  try {
    await migrate(writer, await readMigrations('sqlite'), nowMs)
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
    readAtDoor: reader,
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
    emptyLog: () => emptyLogBeside(connect(openBeside())),
    takeLogOver: async () =>
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

/** The thread that writes, and how to start more of them, which all tell of the same damage. */
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
    openBeside: () => open(),
  }
}

/** A later start would find the same. */
const unusableIfDamaged = (error: unknown): unknown =>
  error instanceof StorageError && error.fault === 'damaged'
    ? new UnusableError(damagedSentence(error), { cause: error })
    : error

/** By a connection of its own, which is closed: the writing one is nearly always within a transaction. */
async function emptyLogBeside(db: Db): Promise<boolean> {
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
