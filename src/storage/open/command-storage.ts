import { databaseFile, makeDataFolder } from '../../process/data-folder.ts'
import type { Storage } from '../seam/storage.ts'
import { emptyLog } from '../sqlite/empty-log.ts'
import { connectLocally } from '../sqlite/local-connection.ts'
import { refuseLostDatabase } from '../instance/lost-database.ts'
import { migrate, readMigrations } from '../seam/migrate.ts'
import { openUnlessGone } from '../instance/moved.ts'
import { postgresSettingsOf, type StorageConfig } from './open-storage.ts'
import { Writer } from '../seam/writer.ts'

/** What a command needs of the storage. */
export type CommandStorage = Pick<Storage, 'read' | 'writer'> & {
  /** The migrations that opening it applied. */
  migrated: readonly string[]
  /**
   * Empties what the database writes first, so that nothing deleted stands in it. Gives false when it stays: because somebody reads, or always
   * on a server, which keeps its log for others too.
   */
  emptyLog(): Promise<boolean>
  close(): Promise<void>
}

/** A command reads little: a small cache is enough. */
const cacheKiB = 2_048

/**
 * Opens the database for one command, beside running servers too, creating the embedded one if need be, and brings its schema up to
 * date. Refuses to write where commits are not flushed, as the server does (P1), a database that has moved away, and an
 * empty one where the folder has served another.
 */
export const openForCommand = (config: StorageConfig, nowMs: number): Promise<CommandStorage> =>
  openUnlessGone(openEither(config, nowMs), config.dataFolder)

async function openEither(config: StorageConfig, nowMs: number): Promise<CommandStorage> {
  if (config.databaseUrl !== null) {
    const { openPostgres } = await import('../postgres/postgres-database.ts')
    const settings = { ...postgresSettingsOf(config, config.databaseUrl), readers: 2 }
    return { ...(await openPostgres(settings, nowMs)), emptyLog: async () => false }
  }
  const { dataFolder, busyTimeoutMs } = config
  await makeDataFolder(dataFolder)
  await refuseLostDatabase(dataFolder)
  const connection = { file: databaseFile(dataFolder), readOnly: false, busyTimeoutMs, cacheKiB }
  const { db, syncLevel, close } = connectLocally(connection)
  const writer = new Writer(db)
  try {
    const migrated = await migrate(writer, await readMigrations('sqlite'), nowMs)
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
