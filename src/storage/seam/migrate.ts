import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { listProgramFiles, readProgramFile } from '../../process/program-files.ts'
import { databaseTime, isShared } from './database-time.ts'
import type { Tx } from './dialect.ts'
import { migrationText } from './migration-text.ts'
import { UnusableError } from './unusable-error.ts'
import type { ReportUpgrade } from './upgrade-progress.ts'
import { readWholeSchema } from './whole-schema.ts'
import type { Writer } from './writer.ts'

/** A frozen `.sql` file, in the words of one database. Its name and checksum are recorded, so that a change is detected. */
export interface Migration {
  name: string
  statements: string
  checksum: string
}

const folder = 'src/storage/migrations'

/**
 * Migrations after which nodes of the version before can no longer write. All others only add
 * (`test/unit/migrations-add.test.ts`), so that nodes can be upgraded one by one.
 */
export const stoppingMigrations: ReadonlySet<string> = new Set([
  '0034_changes.sql',
  '0037_open_attempts.sql',
  '0044_offers_without_due.sql',
  '0045_narrow_columns.sql',
  '0048_lanes.sql',
])

/** A node that was killed counts as stopped after this time without a heartbeat. */
const silentMs = 60_000

/** Returns the migrations of a database, in the order of their names. */
export async function readMigrations(kind: 'sqlite' | 'postgres'): Promise<Migration[]> {
  const names = listProgramFiles(folder).filter((name) => name.endsWith('.sql'))
  return names.map((name) => {
    const statements = migrationText(readProgramFile(`${folder}/${name}`).toString(), kind)
    return { name, statements, checksum: createHash('sha256').update(statements).digest('hex') }
  })
}

/**
 * Upgrades the schema in one write transaction, which is also the lock: a second process waits and then finds
 * nothing to do. Reports the steps of an upgrade. Returns the names of the applied migrations. Throws `UnusableError` for a database that is
 * newer than this program, whose history differs, or that nodes still use which must be stopped first.
 */
export async function migrate(
  writer: Writer,
  migrations: readonly Migration[],
  nowMs: number,
  report: ReportUpgrade = () => undefined,
): Promise<string[]> {
  return writer.write(async (tx) => {
    await sql`create table if not exists schema_migrations
      (name text primary key, checksum text not null, applied_at bigint not null)`.execute(tx)
    const { rows } = await sql<{
      name: string
      checksum: string
    }>`select name, checksum from schema_migrations`.execute(tx)
    const applied = new Map(rows.map((row) => [row.name, row.checksum]))
    for (const name of applied.keys()) {
      if (!migrations.some((migration) => migration.name === name)) {
        throw new UnusableError(
          `The database has migration ${name}, which this version of onesixty does not know. Use a newer version.`,
        )
      }
    }
    const isUpgrade = applied.size > 0
    const stopping = migrations.filter(({ name }) => stoppingMigrations.has(name) && !applied.has(name))
    if (isUpgrade && stopping.length > 0) await requireNoNodes(tx)
    const missing = migrations.filter(({ name }) => !applied.has(name)).map(({ name }) => name)
    if (isUpgrade && missing.length > 0) {
      // It may rewrite all messages, in minutes: a limit of 10 s would end each start.
      if (isShared(tx)) await sql`set local statement_timeout = 0`.execute(tx)
      report({
        kind: 'begins',
        migrations: missing,
        messages: await countMessages(tx),
        isShared: isShared(tx),
      })
    }
    const whole = applied.size > 0 || isShared(tx) ? null : readWholeSchema(migrations)
    if (whole !== null) return applyWhole(tx, { statements: whole, migrations, nowMs })
    const fresh: string[] = []
    for (const migration of migrations) {
      const known = applied.get(migration.name)
      if (known === undefined) {
        const startedMs = performance.now()
        await applyMigration(tx, migration, nowMs)
        fresh.push(migration.name)
        const tookMs = performance.now() - startedMs
        if (isUpgrade) report({ kind: 'applied', migration: migration.name, number: fresh.length, of: missing.length, tookMs }) // prettier-ignore
      } else if (known !== migration.checksum) {
        throw new UnusableError(
          `Migration ${migration.name} was changed after it had been applied to this database. Restore the original file.`,
        )
      }
    }
    return fresh
  })
}

async function applyMigration(tx: Tx, migration: Migration, nowMs: number): Promise<void> {
  await runStatements(tx, migration.statements)
  await recordMigration(tx, migration, nowMs)
}

/** Brings an empty database to the schema that all migrations yield, and records each. */
async function applyWhole(
  tx: Tx,
  { statements, migrations, nowMs }: { statements: string; migrations: readonly Migration[]; nowMs: number },
): Promise<string[]> {
  await runStatements(tx, statements)
  for (const migration of migrations) await recordMigration(tx, migration, nowMs)
  return migrations.map(({ name }) => name)
}

async function runStatements(tx: Tx, statements: string): Promise<void> {
  for (const statement of splitStatements(statements)) await sql.raw(statement).execute(tx)
}

async function recordMigration(tx: Tx, { name, checksum }: Migration, nowMs: number): Promise<void> {
  await sql`insert into schema_migrations (name, checksum, applied_at)
    values (${name}, ${checksum}, ${nowMs})`.execute(tx)
}

async function countMessages(tx: Tx): Promise<number> {
  const { rows } = await sql<{
    messages: number
  }>`select cast(count(*) as bigint) as messages from messages`.execute(tx)
  return rows[0]?.messages ?? 0
}

/** On an embedded database the lock of the data folder has excluded other processes. */
async function requireNoNodes(tx: Tx): Promise<void> {
  if (!isShared(tx)) return
  const sinceMs = (await databaseTime(tx, { now: () => 0 })) - silentMs
  const { rows } = await sql<{ name: string }>`select name from nodes
    where left_at is null and beat_at > ${sinceMs} order by name`.execute(tx)
  if (rows.length > 0)
    throw new UnusableError(
      `This upgrade changes tables that nodes of the earlier version use. Stop these nodes first, then start this one: ${rows.map(({ name }) => name).join(', ')}. A node that was killed is ignored after ${silentMs / 1_000} s.`,
    )
}

/**
 * Splits a migration. Migrations are plain statements: only a semicolon at the end of a line ends a
 * statement.
 */
const splitStatements = (text: string): string[] =>
  text
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
