import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { openLargeDatabase } from './large-database.ts'
import { startBenchPostgres } from './bench-postgres.ts'

const usage = `npm run bench:move [-- --messages N]

Moves an embedded database with N messages (1,000,000 when left out) to a PostgreSQL of its own on this machine, kills the move when half of it
has arrived, lets it go on, and says how long everything took. A million needs about 6 GB for temporary files.
`

const program = join(import.meta.dirname, '..', 'bin', 'onesixty.js')
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { messages: { type: 'string', default: '1000000' }, help: { type: 'boolean', default: false } },
  })
  if (values.help) return void process.stdout.write(usage)
  const large = await openLargeDatabase(Number(values.messages), say)
  // What has moved cannot be moved again: the built one is kept for the next run.
  const dataFolder = await mkdtemp(join(tmpdir(), 'onesixty-bench-run-'))
  const postgres = await startBenchPostgres()
  try {
    await cp(large.folder.path, dataFolder, { recursive: true })
    await measure(postgres.url, dataFolder)
  } finally {
    await postgres.stop()
    await rm(dataFolder, { recursive: true, force: true })
  }
}

async function measure(url: string, dataFolder: string): Promise<void> {
  const { target, admin } = await makeTarget(url)
  const mover = { to: target.replace(':postgres@', '@'), dataFolder }
  const total = await killAtHalf(mover, target)
  say(
    `killed with ${count(total.copied)} rows there, ${seconds(total.tookMs)} after its start: ${count(total.copied / (total.tookMs / 1_000))} rows/s`,
  )
  say(`gone on with and ended in ${seconds(await moveToEnd(mover))}`)
  const { rows } = await admin.query<{ size: string }>(
    "select pg_size_pretty(pg_database_size('moved')) as size",
  )
  say(
    `${rows[0]?.size} in PostgreSQL; ${cpus().length} × ${cpus()[0]?.model}, the server of PostgreSQL on the same machine`,
  )
  await admin.end()
}

async function makeTarget(url: string): Promise<{ target: string; admin: Client }> {
  const admin = new Client({ connectionString: url })
  await admin.connect()
  await admin.query('create database moved')
  const target = new URL(url)
  target.pathname = '/moved'
  return { target: target.href, admin }
}

interface Mover {
  to: string
  dataFolder: string
}

const start = ({ to, dataFolder }: Mover, more: readonly string[], stdout: 'inherit' | 'pipe') =>
  spawn(process.execPath, [program, 'move', '--to', to, ...more], {
    env: { PATH: process.env['PATH'] ?? '', PGPASSWORD: 'postgres', ONESIXTY_DATA: dataFolder },
    stdio: ['ignore', stdout, 'inherit'],
  })

/** Half of all rows, by what the target says; gives how many had arrived, and when. */
async function killAtHalf(mover: Mover, target: string): Promise<{ copied: number; tookMs: number }> {
  const watcher = new Client({ connectionString: target })
  await watcher.connect()
  const startedMs = performance.now()
  const child = start(mover, [], 'inherit')
  const exited = once(child, 'exit')
  // Each message has an attempt, and each four a send: half of the rows are there when most of the attempts and no few messages are.
  const look = `select coalesce(sum(copied_rows), 0)::float8 as copied, max(copied_rows) filter (where table_name = 'messages')::float8 as messages,
      max(copied_rows) filter (where table_name = 'attempts')::float8 as attempts from move_progress`
  let copied = 0
  for (;;) {
    await wait(100)
    if (child.exitCode !== null) throw new Error('It ended before it was killed: take more messages.')
    const { rows } = await watcher
      .query<{ copied: number; messages: number; attempts: number }>(look)
      .catch(() => ({ rows: [] }))
    const [seen] = rows
    copied = seen?.copied ?? 0
    if (seen !== undefined && seen.messages > 0 && seen.messages > seen.attempts * 0.1) break
  }
  child.kill('SIGKILL')
  await exited
  await watcher.end()
  return { copied, tookMs: performance.now() - startedMs }
}

/** Says what it says, with the time since its start. */
async function moveToEnd(mover: Mover): Promise<number> {
  const startedMs = performance.now()
  const tookMs = (): number => performance.now() - startedMs
  const child = start(mover, [], 'pipe')
  const lines = createInterface({ input: child.stdout as Readable })
  lines.on('line', (line) => say(`${seconds(tookMs()).padStart(8)}  ${line}`))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`The move ended with ${code}.`)
  return tookMs()
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const count = (n: number): string => Math.round(n).toLocaleString('en')
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

await main()
