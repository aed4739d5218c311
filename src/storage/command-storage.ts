import { makeDataFolder } from '../data-folder.ts'
import { databaseFile, type EmbeddedSettings, type Storage } from './database.ts'
import { connectLocally } from './local-connection.ts'
import { migrate, readMigrations } from './migrate.ts'
import { Writer } from './writer.ts'

/** What a command needs of the storage. */
export type CommandStorage = Pick<Storage, 'read' | 'writer'> & {
  /** The migrations that opening it applied. */
  migrated: readonly string[]
  close(): Promise<void>
}

/**
 * Opens the embedded database for one command, beside a running server too, creating it if need be, and brings its schema up to
 * date. Refuses to write where SQLite does not flush each commit, as the server does (P1).
 */
export async function openForCommand(settings: EmbeddedSettings, nowMs: number): Promise<CommandStorage> {
  const { dataFolder, busyTimeoutMs, cacheKiB } = settings
  await makeDataFolder(dataFolder)
  const { db, syncLevel } = connectLocally({
    file: databaseFile(dataFolder),
    readOnly: false,
    busyTimeoutMs,
    cacheKiB,
  })
  const writer = new Writer(db)
  const migrated = await migrate(writer, await readMigrations('sqlite'), nowMs)
  if (syncLevel() < 2)
    throw new Error('SQLite does not flush each commit: a power cut could lose accepted messages.')
  return {
    read: db,
    writer,
    migrated,
    async close() {
      await writer.drain()
      await db.destroy()
    },
  }
}
