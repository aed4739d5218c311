import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../../runtime/clock.ts'
import { type Config, ConfigError } from '../../config.ts'
import { isThere } from '../../process/durable-file.ts'
import { createIds, type Ids } from '../../runtime/ids.ts'
import { loadInstanceSecret, missingSentence } from '../../process/instance-secret.ts'
import { type InstanceSecret, marksOf } from '../../runtime/derived-keys.ts'
import { type CommandStorage, openForCommand } from '../../storage/open/command-storage.ts'
import { compareMigrations } from '../../storage/seam/compare-migrations.ts'
import { databaseFile } from '../../process/data-folder.ts'
import { refuseLostDatabase } from '../../storage/instance/lost-database.ts'
import { postgresSettingsOf } from '../../storage/open/open-storage.ts'
import { agreeOnSecrets } from '../../storage/instance/secret-mark.ts'
import { CommandError } from './command-errors.ts'
import { describeUpgrade } from '../../storage/seam/upgrade-progress.ts'

/** The actor in the ledger and the audit log. */
export const cliActor = 'cli'

/** Input and output of a command; `process` fits. */
export interface CommandIo {
  stdout: {
    write(text: string): unknown
    /** A terminal, where lines can be redrawn. */
    isTTY?: boolean
    columns?: number
  }
  stderr: { write(text: string): unknown }
  stdin: AsyncIterable<Uint8Array | string> & {
    isTTY?: boolean
    /** With it, keys are read one by one and not shown. */
    setRawMode?(isRaw: boolean): unknown
    /** Ends a pending read, which would keep the process alive. */
    destroy?(): unknown
  }
  env: Readonly<Record<string, string | undefined>>
  /** Ctrl-C and SIGTERM, for commands that wait. */
  on?(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  off?(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
}

/** The dependencies of commands. */
export interface CommandContext {
  io: CommandIo
  config: Config
  clock: Clock
  ids: Ids
  randomBytes: (count: number) => Uint8Array
  /**
   * Opens the database, also while a server runs, and closes it after `use`. Without `create` it must exist: a command
   * that only reads creates no database.
   */
  withStorage<T>(use: (storage: CommandStorage) => Promise<T>, options?: { create: boolean }): Promise<T>
  /**
   * Returns the secret of the instance, to encrypt or hash with, and records it in the database. Throws like a server
   * when a secret of the database is missing: a server could not decrypt what a command encrypted with another one.
   */
  instanceSecret(): Promise<InstanceSecret>
}

/** Creates the dependencies of one command; opens nothing. */
export function createCommandContext(
  io: CommandIo,
  config: Config,
  clock: Clock = systemClock,
): CommandContext {
  const withStorage: CommandContext['withStorage'] = async (use, options = { create: false }) => {
    if (!options.create) await requireDatabase(config)
    // The secret is created before the database: a database without a secret has lost it.
    else await loadInstanceSecret(config)
    const storage = await openForCommand(config, clock.now(), (progress) =>
      io.stderr.write(`${describeUpgrade(progress)}\n`),
    )
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

/** Throws when the folder has no database or has lost it, or when a database on a server has no tables of ours. */
export async function requireDatabase(config: Config): Promise<void> {
  if (config.databaseUrl !== null) return requireTables(config, config.databaseUrl)
  const file = databaseFile(config.dataFolder)
  if (await isThere(file)) return
  await refuseLostDatabase(config.dataFolder)
  throw new CommandError(
    'no_database',
    `No database at ${file}. Start the server once (npm start), or set ONESIXTY_DATA to its folder.`,
  )
}

async function requireTables(config: Config, url: string): Promise<void> {
  const { openServerDatabase } = await import('../../storage/open/examine-postgres.ts')
  const { db, close } = openServerDatabase(postgresSettingsOf(config, url))
  const { applied } = await compareMigrations(db, 'postgres').finally(() => void close())
  if (applied.length > 0) return
  const { host, pathname } = new URL(url)
  throw new CommandError(
    'no_database',
    `The database ${pathname.slice(1)} at ${host} has no tables of onesixty. Start the server once (npm start), or set DATABASE_URL to another database.`,
  )
}

/** Throws for a command that needs the file of the embedded database when DATABASE_URL is set. */
export function requireEmbedded({ databaseUrl }: Pick<Config, 'databaseUrl'>, remedy: string): void {
  if (databaseUrl !== null)
    throw new CommandError('not_embedded', `DATABASE_URL is set, so the database is not a file. ${remedy}`)
}
