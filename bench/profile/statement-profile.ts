import { withDatabase } from '../../test/postgres-server.ts'
import { startBenchPostgres } from '../bench-postgres.ts'
import { queryServer } from '../server-process.ts'

const shownStatements = 20
const settings = ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.track_planning=on']

export interface ProfiledPostgres {
  databaseUrl: string
  /** Forgets what was run before. */
  begin(): Promise<void>
}

/** Runs `use` on a PostgreSQL that counts; gives in lines what its statements took since `begin`, and what it flushed. */
export async function profileStatements(
  use: (postgres: ProfiledPostgres) => Promise<void>,
): Promise<string[]> {
  const { url, stop } = await startBenchPostgres(settings)
  try {
    await queryServer(url, 'create extension pg_stat_statements')
    await queryServer(url, 'create database profile')
    let beganMs = 0
    await use({
      databaseUrl: withDatabase(url, 'profile'),
      async begin() {
        await queryServer(
          url,
          "select pg_stat_statements_reset(), pg_stat_reset_shared('io'), pg_stat_reset_shared('wal')",
        )
        beganMs = performance.now()
      },
    })
    const tookMs = performance.now() - beganMs
    return [
      ...linesOf(await queryServer(url, busiest), tookMs),
      ...flushLines(await queryServer(url, flushed)),
    ]
  } finally {
    await stop()
  }
}

const busiest = `select calls, rows, total_exec_time as run_ms, total_plan_time as plan_ms, query from pg_stat_statements
  order by total_exec_time + total_plan_time desc`

/** Of PostgreSQL 18: the write-ahead log has its flushes in pg_stat_io. */
const flushed = `select (select sum(fsyncs) from pg_stat_io where object = 'wal') as log_flushes,
  (select sum(fsyncs) from pg_stat_io where object <> 'wal') as other_flushes, wal_bytes, wal_fpi as full_pages from pg_stat_wal`

function flushLines([row = {}]: readonly Record<string, unknown>[]): string[] {
  const count = (name: string): string => Number(row[name]).toLocaleString('en')
  return [
    `PostgreSQL flushed its write-ahead log ${count('log_flushes')} times, with ${count('wal_bytes')} bytes and ${count('full_pages')} full pages in it, and other files ${count('other_flushes')} times`,
  ]
}

function linesOf(found: readonly Record<string, unknown>[], tookMs: number): string[] {
  const rows = found.map((row) => ({
    calls: Number(row['calls']),
    rows: Number(row['rows']),
    runMs: Number(row['run_ms']),
    planMs: Number(row['plan_ms']),
    text: String(row['query']).replaceAll(/\s+/g, ' '),
  }))
  const sum = (of: (row: (typeof rows)[number]) => number): number =>
    rows.reduce((all, row) => all + of(row), 0)
  const ms = (value: number): string => String(Math.round(value)).padStart(7)
  return [
    `PostgreSQL: ${sum((row) => row.calls)} statements in ${Math.round(tookMs)} ms, which took ${Math.round(sum((row) => row.runMs))} ms to run and ${Math.round(sum((row) => row.planMs))} ms to plan`,
    '     ms  to plan    times     rows  statement',
    ...rows
      .slice(0, shownStatements)
      .map(
        ({ calls, rows: count, runMs, planMs, text }) =>
          `${ms(runMs + planMs)}  ${ms(planMs)}  ${ms(calls)}  ${ms(count)}  ${text.slice(0, 90)}`,
      ),
  ]
}
