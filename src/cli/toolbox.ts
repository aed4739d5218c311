import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../clock.ts'
import { type Config, ConfigError } from '../config.ts'
import { isThere } from '../durable-file.ts'
import { createIds, type Ids } from '../ids.ts'
import { type InstanceSecret, loadInstanceSecret, marksOf, missingSentence } from '../instance-secret.ts'
import { type CommandStorage, openForCommand } from '../storage/command-storage.ts'
import { compareMigrations } from '../storage/compare-migrations.ts'
import { databaseFile } from '../data-folder.ts'
import { refuseLostDatabase } from '../storage/lost-database.ts'
import { postgresSettingsOf } from '../storage/open-storage.ts'
import { agreeOnSecrets } from '../storage/secret-mark.ts'
import { CommandError } from './command-errors.ts'

/** Who did it, in the ledger and the audit log. */
export const cliActor = 'cli'

/** Where a command reads and writes; `process` fits. */
export interface CommandIo {
  stdout: {
    write(text: string): unknown
    /** A terminal, where what was written can be drawn over. */
    isTTY?: boolean
    columns?: number
  }
  stderr: { write(text: string): unknown }
  stdin: AsyncIterable<Uint8Array | string>
  env: Readonly<Record<string, string | undefined>>
  /** Ctrl-C and its like, for commands that wait. */
  on?(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  off?(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
}

/** What commands work with. */
export interface Toolbox {
  io: CommandIo
  config: Config
  clock: Clock
  ids: Ids
  randomBytes: (count: number) => Uint8Array
  /**
   * Opens the database, beside a running server too, and closes it after `use`. Without `create` it must exist: a command that only
   * looks makes no database.
   */
  withStorage<T>(use: (storage: CommandStorage) => Promise<T>, options?: { create: boolean }): Promise<T>
  /**
   * The secret of the instance, to seal or hash with: the database knows it from now on. Refuses where one that it was used with is missing, as a
   * server does, which could not open what a command sealed with another.
   */
  instanceSecret(): Promise<InstanceSecret>
}

/** The tools of one command; opens nothing yet. */
export function createToolbox(io: CommandIo, config: Config, clock: Clock = systemClock): Toolbox {
  const withStorage: Toolbox['withStorage'] = async (use, options = { create: false }) => {
    if (!options.create) await requireDatabase(config)
    // A database is born with its secret, so that one without it has lost it.
    else await loadInstanceSecret(config)
    const storage = await openForCommand(config, clock.now())
    try {
      return await use(storage)
    } finally {
      await storage.close()
    }
  }
  return {
    io,
    config,
    clock,
    ids: createIds({ now: () => clock.now() }),
    randomBytes: (count) => randomBytes(count),
    withStorage,
    async instanceSecret() {
      const secret = await loadInstanceSecret(config)
      const lacks = await withStorage(({ writer }) =>
        writer.write((tx) => agreeOnSecrets(tx, marksOf(secret), clock.now())),
      )
      if (lacks !== null) throw new ConfigError(missingSentence(config, lacks))
      return secret
    },
  }
}

/** Refuses when there is no database in the folder, one that was there is gone, or nothing of ours is in the one on a server. */
export async function requireDatabase(config: Config): Promise<void> {
  if (config.databaseUrl !== null) return requireTables(config, config.databaseUrl)
  const file = databaseFile(config.dataFolder)
  if (await isThere(file)) return
  await refuseLostDatabase(config.dataFolder)
  throw new CommandError(
    'no_database',
    `There is no database at ${file}. Start the server once (npm start), or set ONESIXTY_DATA to its folder.`,
  )
}

async function requireTables(config: Config, url: string): Promise<void> {
  const { openServerDatabase } = await import('../storage/examine-postgres.ts')
  const { db, close } = openServerDatabase(postgresSettingsOf(config, url))
  const { applied } = await compareMigrations(db, 'postgres').finally(() => void close())
  if (applied.length > 0) return
  const { host, pathname } = new URL(url)
  throw new CommandError(
    'no_database',
    `There is nothing of onesixty in the database ${pathname.slice(1)} at ${host}. Start the server once (npm start), or set DATABASE_URL to another.`,
  )
}

/** Refuses what is done with the file of the embedded database when there is none. */
export function requireEmbedded({ databaseUrl }: Pick<Config, 'databaseUrl'>, remedy: string): void {
  if (databaseUrl !== null)
    throw new CommandError('not_embedded', `DATABASE_URL is set: this database is not a file. ${remedy}`)
}
