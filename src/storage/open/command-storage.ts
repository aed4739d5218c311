import { databaseFile, makeDataFolder } from '../../process/data-folder.ts'
import type { Storage } from '../seam/storage.ts'
import { emptyLog } from '../sqlite/empty-log.ts'
import { connectLocally } from '../sqlite/local-connection.ts'
import { refuseLostDatabase } from '../instance/lost-database.ts'
import { migrate, readMigrations } from '../seam/migrate.ts'
import { openUnlessGone } from '../instance/moved.ts'
import { postgresSettingsOf, type StorageConfig } from './open-storage.ts'
import { Writer } from '../seam/writer.ts'
import type { ReportUpgrade } from '../seam/upgrade-progress.ts'

/** The storage of a command. */
export type CommandStorage = Pick<Storage, 'read' | 'writer'> & {
  /** The migrations that were applied when it was opened. */
  migrated: readonly string[]
  /**
   * Truncates the write-ahead log, so that it contains no deleted data. Returns false if it remains: while
   * another process reads, and always on PostgreSQL, whose log serves others too.
   */
  emptyLog(): Promise<boolean>
  close(): Promise<void>
}

/** A command reads little, so a small cache is enough. */
const cacheKiB = 2_048

/**
 * Opens the database for one command, also while servers run; creates the embedded one if needed, and
 * upgrades its schema. Like the server it rejects a database that does not flush commits (P1), one that was
 * moved, and an empty one in a folder that has served another.
 */
export const openForCommand = (
  config: StorageConfig,
  nowMs: number,
  reportUpgrade?: ReportUpgrade,
): Promise<CommandStorage> => openUnlessGone(openEither(config, nowMs, reportUpgrade), config.dataFolder)

async function openEither(
  config: StorageConfig,
  nowMs: number,
  reportUpgrade: ReportUpgrade | undefined,
): Promise<CommandStorage> {
  if (config.databaseUrl !== null) {
    const { openPostgres } = await import('../postgres/postgres-database.ts')
    const settings = { ...postgresSettingsOf(config, config.databaseUrl), readers: 2, reportUpgrade }
    return { ...(await openPostgres(settings, nowMs)), emptyLog: async () => false }
  }
  const { dataFolder, busyTimeoutMs } = config
  await makeDataFolder(dataFolder)
  await refuseLostDatabase(dataFolder)
  const connection = { file: databaseFile(dataFolder), readOnly: false, busyTimeoutMs, cacheKiB }
  const { db, syncLevel, close } = connectLocally(connection)
  const writer = new Writer(db)
  try {
    const migrated = await migrate(writer, await readMigrations('sqlite'), nowMs, reportUpgrade)
    if (syncLevel() < 2)
      throw new Error('SQLite does not flush each commit: a power cut could lose accepted messages.')
    return {
      read: db,
      writer,
      migrated,
      emptyLog: () => emptyLog(db),
      async close() {
        await writer.drain()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
