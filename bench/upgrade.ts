import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm, stat } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'

const usage = `npm run bench:upgrade -- --from FOLDER [--postgres URL] [--kills 10]

Upgrades a copy of a data folder of an earlier version, or with --postgres of a database of one (FOLDER has its secret): kills the upgrade at random
moments, looks after each that the database is as it was, lets it end, and compares sums before and after. Says how long it took and what it needs.
`

const program = join(import.meta.dirname, '..', 'bin', 'onesixty.js')
/** The instants of the kills: the same in each run. */
const fractions = [0.02, 0.11, 0.23, 0.34, 0.42, 0.55, 0.63, 0.74, 0.87, 0.96]

/** An old database that can be copied. */
interface Source {
  /** Makes a copy and gives what a command needs to find it. */
  copy(): Promise<{
    env: Record<string, string>
    /** The first row of a statement. */
    ask(sql: string): Promise<Record<string, unknown>>
    bytes(): Promise<number>
    remove(): Promise<void>
  }>
}
type Copy = Awaited<ReturnType<Source['copy']>>

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      postgres: { type: 'string' },
      kills: { type: 'string', default: '10' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help || values.from === undefined) return void process.stdout.write(usage)
  const source =
    values.postgres === undefined ? inFolder(values.from) : onServer(values.from, values.postgres)
  const { tookMs } = await upgradeOnce(source)
  for (const fraction of fractions.slice(0, Number(values.kills))) await killAt(source, fraction * tookMs)
  say(`${cpus().length} × ${cpus()[0]?.model}`)
}

/** Lets one upgrade run to its end; throws where a sum differs, or the doctor finds anything. */
async function upgradeOnce(source: Source): Promise<{ tookMs: number }> {
  const copy = await source.copy()
  try {
    const [before, bytesBefore] = [await sumsOf(copy), await copy.bytes()]
    const { code, tookMs, most } = await migrate(copy, Infinity)
    if (code !== 0) throw new Error(`the upgrade ended with ${code}`)
    const after = await sumsOf(copy)
    if (JSON.stringify(before) !== JSON.stringify(after))
      throw new Error(`${JSON.stringify(before)} became ${JSON.stringify(after)}`)
    const doctor = await run(['doctor', '--json'], copy.env)
    if (doctor.code !== 0) throw new Error(`doctor: ${doctor.output.slice(-2_000)}`)
    say(
      `${Number(before['messages']).toLocaleString('en')} messages upgraded in ${(tookMs / 1_000).toFixed(1)} s: ${megabytes(bytesBefore)} before, ${megabytes(most)} at most meanwhile, ${megabytes(await copy.bytes())} after; sums equal, doctor ok`,
    )
    return { tookMs }
  } finally {
    await copy.remove()
  }
}

/** Kills an upgrade; what is left is the former version whole, and is upgraded by the next try. */
async function killAt(source: Source, killMs: number): Promise<void> {
  const copy = await source.copy()
  try {
    const [before, known] = [await sumsOf(copy), await migrationsOf(copy)]
    const { code } = await migrate(copy, killMs)
    const left = await migrationsOf(copy)
    if (code === null && left !== known)
      throw new Error(`a kill left ${left} of its migrations in place of ${known}`)
    let again = await migrate(copy, Infinity)
    // A server of PostgreSQL goes on with the statement of a client that is gone, and holds its locks until it ends.
    for (let tries = 1; again.code !== 0 && tries < 5; tries++) {
      say(`not yet: ${again.said}`)
      await wait(2_000)
      again = await migrate(copy, Infinity)
    }
    if (again.code !== 0 || JSON.stringify(await sumsOf(copy)) !== JSON.stringify(before))
      throw new Error(`after a kill at ${killMs} ms the upgrade ended with ${again.code}, or sums differ`)
    say(
      `killed after ${(killMs / 1_000).toFixed(1)} s: as before, then upgraded in ${(again.tookMs / 1_000).toFixed(1)} s`,
    )
  } finally {
    await copy.remove()
  }
}

const sumsOf = ({ ask }: Copy): Promise<Record<string, unknown>> =>
  ask(`select cast(count(*) as bigint) as messages, cast(sum(charged) as bigint) as charged,
    cast(sum(case when cost_state = 'held' then held else 0 end) as bigint) as held,
    cast(sum(case when status in ('queued', 'sending') then 1 else 0 end) as bigint) as waiting,
    (select cast(sum(reserved) as bigint) from wallets) as reserved, (select cast(sum(used) as bigint) from wallets) as used from messages`)

const migrationsOf = async ({ ask }: Copy): Promise<number> =>
  Number((await ask('select cast(count(*) as bigint) as known from schema_migrations'))['known'])

/** Runs the upgrade, with the most bytes of disk that it had meanwhile. */
async function migrate(
  { env, bytes }: Copy,
  killMs: number,
): Promise<{ code: number | null; tookMs: number; most: number; said: string }> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, [program, 'migrate'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said = text.toString().trim()))
  let most = await bytes()
  const watch = setInterval(() => void bytes().then((now) => void (most = Math.max(most, now))), 250)
  const timer = killMs === Infinity ? undefined : setTimeout(() => child.kill('SIGKILL'), killMs)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(timer)
  clearInterval(watch)
  return { code, tookMs: performance.now() - startedMs, most, said }
}

async function run(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

function inFolder(from: string): Source {
  return {
    async copy() {
      const folder = await mkdtemp(join(tmpdir(), 'onesixty-bench-run-'))
      await cp(from, folder, { recursive: true })
      const file = join(folder, 'onesixty.db')
      const size = async (name: string): Promise<number> => (await stat(name).catch(() => null))?.size ?? 0
      return {
        env: { ONESIXTY_DATA: folder },
        async ask(sql) {
          const database = new DatabaseSync(file)
          try {
            return { ...(database.prepare(sql).get() as Record<string, unknown>) }
          } finally {
            database.close()
          }
        },
        bytes: async () => (await size(file)) + (await size(`${file}-wal`)),
        remove: () => rm(folder, { recursive: true, force: true }),
      }
    },
  }
}

function onServer(from: string, url: string): Source {
  const name = new URL(url).pathname.slice(1)
  const at = (database: string): string => Object.assign(new URL(url), { pathname: `/${database}` }).href
  const withClient = async <T>(database: string, use: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: at(database) })
    await client.connect()
    try {
      return await use(client)
    } finally {
      await client.end()
    }
  }
  return {
    async copy() {
      const copied = `${name}_copy`
      const folder = await mkdtemp(join(tmpdir(), 'onesixty-bench-run-'))
      await cp(join(from, 'secret'), join(folder, 'secret'))
      const drop = () =>
        withClient('postgres', (client) => client.query(`drop database if exists ${copied} with (force)`))
      await drop()
      // What was killed may be connected for a moment.
      await wait(500)
      await withClient('postgres', (client) => client.query(`create database ${copied} template ${name}`))
      const ask = (sql: string) =>
        withClient(copied, async (client) => (await client.query(sql)).rows[0] as Record<string, unknown>)
      return {
        env: { ONESIXTY_DATA: folder, DATABASE_URL: at(copied) },
        ask,
        bytes: async () =>
          Number((await ask('select pg_database_size(current_database()) as bytes'))['bytes']),
        remove: async () => {
          await drop()
          await rm(folder, { recursive: true, force: true })
        },
      }
    },
  }
}

const say = (text: string): void => console.log(text)
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`

await main()
