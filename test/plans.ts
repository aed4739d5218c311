import { DatabaseSync } from 'node:sqlite'
import { CompiledQuery, type Kysely, type QueryExecutor, sql } from 'kysely'
import { vi } from 'vitest'
import { databaseFile } from '../src/process/data-folder.ts'
import type { Tx } from '../src/storage/seam/dialect.ts'
import { plannedOnce } from '../src/storage/sqlite/sqlite-connection.ts'
import type { Database } from '../src/storage/tables/schema.ts'
import { openDatabase } from './open-database.ts'
import { type PostgresPlan, scansWithin, searchesOf } from './postgres-plan.ts'
import { isPostgres } from './test-database.ts'

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

/** Every statement that `run` sends through `db`, with its parameters. */
export async function statementsOf(
  db: { getExecutor(): QueryExecutor },
  run: () => Promise<unknown>,
): Promise<CompiledQuery[]> {
  const executed = vi.spyOn(db.getExecutor(), 'executeQuery')
  try {
    await run()
    return executed.mock.calls.map(([query]) => query)
  } finally {
    executed.mockRestore()
  }
}

/**
 * The steps in which the database of a folder would answer these statements, one line each: SQLite's own words; of PostgreSQL the tables that it
 * reads and sorts (postgres-plan.ts), but for those of which it knows that they hold a handful of rows. Statistics are those of this moment.
 */
export async function stepsOf(dataFolder: string, ...statements: readonly Statement[]): Promise<string[]> {
  if (isPostgres) {
    const { plans, handfuls } = await plansOf(dataFolder, statements)
    return plans.flatMap(searchesOf).filter((step) => !isHandful(step, handfuls))
  }
  return sqliteSteps(dataFolder, statements).map(({ detail }) => detail)
}

/**
 * Loops of these statements that read a whole table for each row of another one. One that was analysed and holds a handful of rows is rightly read
 * so on PostgreSQL.
 */
export async function nestedScans(
  dataFolder: string,
  ...statements: readonly Statement[]
): Promise<string[]> {
  if (isPostgres) {
    const { plans, handfuls } = await plansOf(dataFolder, statements)
    return plans.flatMap(scansWithin).filter((step) => !isHandful(step, handfuls))
  }
  return statements.flatMap((statement) => scansWithinLoops(sqliteSteps(dataFolder, [statement])))
}

interface SqliteStep {
  id: number
  parent: number
  detail: string
}

/** Of the steps of one query of SQLite: whole reads behind the first table of a level, and all within what is asked for each row. */
function scansWithinLoops(steps: readonly SqliteStep[]): string[] {
  const loops = Map.groupBy(
    steps.filter(({ detail }) => /^(SCAN|SEARCH) /.test(detail)),
    (step) => step.parent,
  )
  return [...loops.values()]
    .flatMap((level) => level.filter((step, i) => i > 0 || isForEachRow(step, steps)))
    .flatMap(({ detail }) => (detail.startsWith('SCAN ') ? [detail] : []))
}

/** Whether it is a step of a subquery that is asked for each row, and reads more than what that has made itself. */
function isForEachRow({ parent, detail }: SqliteStep, steps: readonly SqliteStep[]): boolean {
  const isMadeThere = steps.some(
    (other) => other.parent === parent && `CO-ROUTINE ${detail.slice(5)}` === other.detail,
  )
  if (isMadeThere || detail === 'SCAN CONSTANT ROW') return false
  const byId = new Map(steps.map((step) => [step.id, step]))
  for (let above = byId.get(parent); above !== undefined; above = byId.get(above.parent)) {
    if (above.detail.startsWith('CORRELATED ')) return true
    // What depends on no row is asked once.
    if (/^(SCALAR|LIST) SUBQUERY|^MATERIALIZE /.test(above.detail)) return false
  }
  return false
}

function sqliteSteps(dataFolder: string, statements: readonly Statement[]): SqliteStep[] {
  const plain = new DatabaseSync(databaseFile(dataFolder), { readOnly: true })
  const steps = statements.flatMap(({ sql: text, parameters }) => {
    // A set statement carries one list of parameters for each run.
    const values = Array.isArray(parameters[0]) ? parameters[0] : parameters
    return plain
      .prepare(`explain query plan ${plannedOnce(text)}`)
      .all(...(values as string[])) as unknown as SqliteStep[]
  })
  plain.close()
  return steps
}

const isHandful = (step: string, handfuls: ReadonlySet<string>): boolean =>
  step.startsWith('SCAN ') && handfuls.has(step.split(' ')[1] as string)

interface Explained {
  plans: PostgresPlan[]
  /** Tables that are known to hold fewer than a hundred rows. */
  handfuls: ReadonlySet<string>
}

async function plansOf(dataFolder: string, statements: readonly Statement[]): Promise<Explained> {
  const { db, close } = openDatabase(dataFolder)
  try {
    const plans: PostgresPlan[] = []
    for (const statement of statements) plans.push(await explain(db, statement))
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relkind = 'r' and reltuples between 0 and 99`.execute(db)
    return { plans, handfuls: new Set(rows.map(({ name }) => name)) }
  } finally {
    await close()
  }
}

async function explain(db: Kysely<Database>, { sql: text, parameters }: Statement): Promise<PostgresPlan> {
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': [{ Plan: PostgresPlan }] }>(
    CompiledQuery.raw(`explain (format json, costs off) ${text}`, [...parameters]),
  )
  return rows[0]!['QUERY PLAN'][0].Plan
}

/**
 * Analyses every table. PostgreSQL rightly reads a table of a few thousand rows whole: there those of a hundred rows and more are taken for a
 * thousand times as long as they are.
 */
export async function analyse(tx: Tx): Promise<void> {
  await sql`analyze`.execute(tx)
  if (isPostgres)
    await sql`update pg_class set reltuples = reltuples * 1000
      where reltuples >= 100 and relnamespace = 'public'::regnamespace`.execute(tx)
}
