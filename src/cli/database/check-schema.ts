import { databaseFile } from '../../process/data-folder.ts'
import { isThere } from '../../process/durable-file.ts'
import { refuseLostDatabase } from '../../storage/instance/lost-database.ts'
import { postgresSettingsOf } from '../../storage/open/open-storage.ts'
import {
  compareMigrations,
  type MigrationState,
  type RecordedMigration,
} from '../../storage/seam/compare-migrations.ts'
import { openDatabaseFile } from '../../storage/sqlite/database-file.ts'
import type { CommandContext } from '../core/command-context.ts'
import { CommandError, UnfitError } from '../core/command-errors.ts'
import type { Output } from '../core/command.ts'

/** Migrations of a version by the database that they are for, since the statements differ. */
export type KnownMigrations = Readonly<Record<'sqlite' | 'postgres', readonly RecordedMigration[]>>

/**
 * Reads the migrations of another version: a line for each, of its database, its name and its checksum. Throws `CommandError` for any other line: an
 * unreadable list would know none, and refuse every database.
 */
export function parseKnownMigrations(text: string): KnownMigrations {
  const known: Record<'sqlite' | 'postgres', RecordedMigration[]> = { sqlite: [], postgres: [] }
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, kind, name = '', checksum = ''] = /^(sqlite|postgres) (\d{4}_\w+\.sql) ([0-9a-f]{64})$/.exec(line) ?? [] // prettier-ignore
    if (kind !== 'sqlite' && kind !== 'postgres')
      throw new CommandError('unreadable_migrations', `This is no line of migrations: ${line.slice(0, 80)}`)
    known[kind].push({ name, checksum })
  }
  if (known.sqlite.length === 0 || known.postgres.length === 0)
    throw new CommandError('unreadable_migrations', 'The list names no migration of one of the databases.')
  return known
}

/**
 * Says whether the database fits this version, or the one whose migrations are given, and changes nothing. Throws `UnfitError` where the database has
 * migrations that the version does not know, or has others by their names; anything else says nothing about the version.
 */
export async function checkSchema(
  { config }: Pick<CommandContext, 'config'>,
  known: KnownMigrations | null,
): Promise<Output> {
  const compare = config.databaseUrl === null ? compareEmbedded : compareOnServer
  const state = await compare(config, known)
  if (state.unknown.length > 0)
    throw new UnfitError(
      `The database has migrations that ${known === null ? 'this' : 'that'} version does not know: ${state.unknown.join(', ')}. Use a newer version.`,
    )
  if (state.changed.length > 0)
    throw new UnfitError(
      `Migrations were changed after they had been applied to this database: ${state.changed.join(', ')}.`,
    )
  return { json: { fits: true, pending: state.pending }, text: describe(state) }
}

function describe({ applied, pending }: MigrationState): string {
  if (applied.length === 0) return 'There is no database yet: a start creates it.'
  return pending.length === 0
    ? 'The database fits.'
    : `The database fits: a start applies ${pending.join(', ')}.`
}

type Config = CommandContext['config']
type Compare = (config: Config, known: KnownMigrations | null) => Promise<MigrationState>

const compareEmbedded: Compare = async ({ dataFolder }, known) => {
  const file = databaseFile(dataFolder)
  if (!(await isThere(file))) {
    await refuseLostDatabase(dataFolder)
    return { applied: [], pending: [], unknown: [], changed: [] }
  }
  const { db, close } = openDatabaseFile(file)
  try {
    return await compareMigrations(db, 'sqlite', known?.sqlite)
  } finally {
    await close()
  }
}

const compareOnServer: Compare = async (config, known) => {
  const { openServerDatabase } = await import('../../storage/open/examine-postgres.ts')
  const { db, close } = openServerDatabase(postgresSettingsOf(config, config.databaseUrl ?? ''))
  try {
    return await compareMigrations(db, 'postgres', known?.postgres)
  } finally {
    await close()
  }
}
