import { openEmbedded } from '../sqlite/embedded-database.ts'
import type { Storage } from '../seam/storage.ts'
import type { Units } from '../seam/dialect.ts'
import { openUnlessGone } from '../instance/moved.ts'

/** Where the database is and how it is met: the settings of that name. */
export interface StorageConfig {
  dataFolder: string
  databaseUrl: string | null
  node: string | null
  busyTimeoutMs: number
  cacheKib: number
  postgresReaders: number
  postgresConnectTimeoutMs: number
  postgresStatementTimeoutMs: number
  postgresListen: 'yes' | 'no'
}

export interface ServedUnits {
  /** A module that exports `units`. */
  unitsModule: URL
  /** Bounds what merged calls of a unit bring into one transaction. */
  maxMergedWeight: number
}

/**
 * Opens the database of the settings for a server: the embedded one, or the one at DATABASE_URL. Brings its schema up to date. Refuses one that
 * has moved away, or that a move has not wholly filled, and an empty one where the folder has served another.
 */
export const openStorage = <U extends Units = Units>(
  config: StorageConfig,
  served: ServedUnits,
  nowMs: number,
): Promise<Storage<U>> => openUnlessGone(openEither<U>(config, served, nowMs), config.dataFolder)

async function openEither<U extends Units>(
  config: StorageConfig,
  served: ServedUnits,
  nowMs: number,
): Promise<Storage<U>> {
  if (config.databaseUrl !== null) {
    const { openPostgres } = await import('../postgres/postgres-database.ts')
    const listens = config.postgresListen === 'yes'
    return openPostgres<U>({ ...postgresSettingsOf(config, config.databaseUrl), ...served, listens }, nowMs)
  }
  const { dataFolder, busyTimeoutMs, cacheKib } = config
  return openEmbedded<U>({ dataFolder, busyTimeoutMs, cacheKiB: cacheKib, ...served }, nowMs)
}

/** How the settings say that PostgreSQL is met. */
export const postgresSettingsOf = (config: StorageConfig, url: string) => ({
  url,
  applicationName: config.node === null ? 'onesixty' : `onesixty ${config.node}`,
  readers: config.postgresReaders,
  connectTimeoutMs: config.postgresConnectTimeoutMs,
  statementTimeoutMs: config.postgresStatementTimeoutMs,
})

/** How many connections a server process takes at most: those that write and ask, the readers at the door and for all, and those for accounts. */
export const connectionsOf = ({ postgresReaders }: Pick<StorageConfig, 'postgresReaders'>): number =>
  postgresReaders + 9
