import { openEmbedded } from '../sqlite/embedded-database.ts'
import type { Storage } from '../seam/storage.ts'
import type { Units } from '../seam/dialect.ts'
import { openUnlessGone } from '../instance/moved.ts'
import type { ReportUpgrade } from '../seam/upgrade-progress.ts'

/** The settings of the database. */
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
  reportUpgrade?: ReportUpgrade | undefined
  /** A module that exports `units`. */
  unitsModule: URL
  /** Limits how much merged calls of a unit bring into one transaction. */
  maxMergedWeight: number
}

/**
 * Opens the database for a server: the embedded one, or the one at DATABASE_URL. Upgrades its schema. Rejects
 * one that was moved, the target of an incomplete move, and an empty one in a folder that has served another.
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

/** Returns the settings for PostgreSQL. */
export const postgresSettingsOf = (config: StorageConfig, url: string) => ({
  url,
  applicationName: config.node === null ? 'onesixty' : `onesixty ${config.node}`,
  readers: config.postgresReaders,
  connectTimeoutMs: config.postgresConnectTimeoutMs,
  statementTimeoutMs: config.postgresStatementTimeoutMs,
})

/**
 * Returns the maximum number of connections of a server process: those that write and listen, priority and
 * general readers, and readers for accounts.
 */
export const connectionsOf = ({ postgresReaders }: Pick<StorageConfig, 'postgresReaders'>): number =>
  postgresReaders + 9
