import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'pg'
import packageJson from '../package.json' with { type: 'json' }
import { setup as buildConsole } from '../scripts/build-console.ts'
import { buildProgram } from '../scripts/build-program.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** What is measured is a built program, as a release installs it. */
const built = join(root, 'node_modules/.cache/onesixty/bench')
await buildConsole()
await buildProgram(built)
const mainFile = join(built, 'main.js')

/** A data folder of a benchmark, set up through the command line as an operator would. */
export interface BenchFolder {
  path: string
  /** Runs a command of `onesixty` on this folder and gives its JSON. */
  cli(...args: string[]): Promise<Record<string, unknown>>
  /** Runs one SELECT beside the server. */
  query(select: string): Promise<Record<string, unknown>[]>
  /** The settings by which a server finds its database. */
  env: Readonly<Record<string, string>>
  remove(): Promise<void>
}

/** On the embedded database, or with a URL on PostgreSQL. */
export async function makeFolder(
  databaseUrl?: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchFolder> {
  return folderAt(await mkdtemp(join(tmpdir(), 'onesixty-bench-run-')), databaseUrl, settings)
}

export const folderAt = (
  path: string,
  databaseUrl?: string,
  settings: Readonly<Record<string, string>> = {},
): BenchFolder => {
  const env = {
    ...environment(path),
    ...settings,
    ...(databaseUrl === undefined
      ? {}
      : { DATABASE_URL: databaseUrl, ONESIXTY_SECRET: 'a secret of the bench that nobody has' }),
  }
  return {
    path,
    env,
    async cli(...args) {
      const options = { env, maxBuffer: 16_777_216 }
      const { stdout } = await promisify(execFile)(process.execPath, [mainFile, ...args, '--json'], options)
      return JSON.parse(stdout) as Record<string, unknown>
    },
    query: (select) =>
      databaseUrl === undefined
        ? queryFile(join(path, 'onesixty.db'), select)
        : queryServer(databaseUrl, select),
    remove: () => rm(path, { recursive: true, force: true }),
  }
}

async function queryFile(file: string, select: string): Promise<Record<string, unknown>[]> {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    return database.prepare(select).all()
  } finally {
    database.close()
  }
}

/** Runs one statement on a PostgreSQL, in a session of its own. */
export async function queryServer(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

export const databaseOf = (folder: BenchFolder): string => join(folder.path, 'onesixty.db')

/** What the server of that folder says. */
export const logOf = (folder: BenchFolder): string => join(folder.path, 'server.log')

/** A running `onesixty serve`. */
export interface ServerProcess {
  pid: number
  port: number
  /** Milliseconds from spawn until /readyz said yes. */
  readyAfterMs: number
  /** Ends it with SIGTERM and waits for its end. */
  stop(): Promise<void>
}

/** The arguments that `npm start` gives to Node.js, for the built program. */
const startArguments = [...packageJson.scripts.start.split(' ').slice(1, -2), mainFile, 'serve']

/** How a server is started beside what `npm start` says. */
export interface ServerStart {
  nodeOptions?: readonly string[]
  /** A program with its arguments that starts Node.js and watches it. */
  under?: readonly string[]
}

/** The built program with default settings but for a free port. The log goes to a file of the folder. */
export async function startServer(
  folder: BenchFolder,
  { nodeOptions = [], under = [] }: ServerStart = {},
): Promise<ServerProcess> {
  const logFile = logOf(folder)
  const log = openSync(logFile, 'w')
  const startedMs = performance.now()
  const [program = process.execPath, ...args] = [
    ...under,
    process.execPath,
    ...nodeOptions,
    ...startArguments,
  ]
  const child = spawn(program, args, {
    cwd: root,
    env: folder.env,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const exited = once(child, 'exit')
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  // Nobody waits for this; a server that ends by itself ends the run.
  const died = (code: number | null, signal: string | null): void => {
    throw new Error(`The server ended (${code ?? signal}):\n${readFileSync(logFile, 'utf8').slice(-2_000)}`)
  }
  child.once('exit', died)
  const port = await portOnceReady(logFile)
  await fetch(`http://127.0.0.1:${port}/readyz`).then((answer) => answer.arrayBuffer())
  return {
    pid: child.pid as number,
    port,
    readyAfterMs: performance.now() - startedMs,
    async stop() {
      child.off('exit', died)
      child.kill('SIGTERM')
      await exited
      process.off('exit', kill)
    },
  }
}

/** Old texts and records stay: the janitors shall not eat what is measured. */
const environment = (dataFolder: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  ONESIXTY_DATA: dataFolder,
  ONESIXTY_PORT: '0',
  ONESIXTY_TEXT_RETENTION_DAYS: '3650',
  // It writes to neighbours, thousands a second.
  ONESIXTY_PUMPING_MESSAGES: '0',
  ONESIXTY_RECORD_RETENTION_DAYS: '3650',
})

const readyTimeoutMs = 30_000

/** The port in the line of the log that says that the server is ready. */
async function portOnceReady(logFile: string): Promise<number> {
  for (const deadline = performance.now() + readyTimeoutMs; performance.now() < deadline; await sleep(2)) {
    const log = await readFile(logFile, 'utf8')
    const url = /"url":"([^"]+)".*is ready/.exec(log)?.[1]
    if (url !== undefined) return Number(new URL(url).port)
  }
  throw new Error('The server was not ready in time.')
}

/** An account without limits, with plenty to spend and one simulator. */
export interface BenchAccount {
  accountId: string
  liveKey: string
  deviceId: string
  /** With which its owner chooses a password. */
  setupLink: string
}

/** Makes it while the server runs or before. `settings` are those of the simulator, as `key=value`. */
export async function makeAccount(folder: BenchFolder, settings: readonly string[]): Promise<BenchAccount> {
  const made = await folder.cli('account', 'create', '--name', 'Bench', '--email', 'bench@example.org')
  const accountId = made['account_id'] as string
  await folder.cli(
    'account',
    'limit',
    '--account',
    accountId,
    '--send-per-minute',
    '0',
    '--read-per-minute',
    '0',
    '--queue',
    '0',
  )
  await folder.cli('account', 'grant', '--account', accountId, '--sms', '1000000000', '--note', 'bench')
  const device = await folder.cli(
    'device',
    'add',
    'simulator',
    '--account',
    accountId,
    '--name',
    'Bench',
    ...settings.flatMap((pair) => ['--set', pair]),
  )
  return {
    accountId,
    liveKey: made['live_key'] as string,
    deviceId: device['id'] as string,
    setupLink: made['setup_link'] as string,
  }
}

/** A server with one account. */
export interface ServedBench {
  folder: BenchFolder
  account: BenchAccount
  server: ServerProcess
}

interface ServedStart extends ServerStart {
  /** Those of the simulator, as `key=value`. */
  settings: readonly string[]
  databaseUrl?: string | undefined
  env?: Readonly<Record<string, string>>
  beforeStart?: (folder: BenchFolder, account: BenchAccount) => void
}

/** A server with one account, in a folder of its own that is gone afterwards. */
export async function withServer<T>(
  { settings, databaseUrl, env, beforeStart, ...start }: ServedStart,
  use: (started: ServedBench) => Promise<T>,
): Promise<T> {
  const folder = await makeFolder(databaseUrl, env)
  try {
    const account = await makeAccount(folder, settings)
    beforeStart?.(folder, account)
    const server = await startServer(folder, start)
    try {
      return await use({ folder, account, server })
    } finally {
      await server.stop()
    }
  } finally {
    await folder.remove()
  }
}
