import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type App, createApp } from '../src/app/app.ts'
import { openAccount, type OpenedAccount } from '../src/app/open-account.ts'
import type { FoundPorts } from '../src/connectors/connector-tools.ts'
import type { OwnNetworks } from '../src/connectors/own-networks.ts'
import { type Clock, systemClock } from '../src/runtime/clock.ts'
import { readConfig } from '../src/config.ts'
import { createIds } from '../src/runtime/ids.ts'
import { secretFile } from '../src/process/instance-secret.ts'
import { createLog } from '../src/process/log.ts'
import { databaseFile } from '../src/process/data-folder.ts'
import type { HotUnits } from '../src/messages/units.ts'
import { openStorage } from '../src/storage/open/open-storage.ts'
import { epochFile } from '../src/storage/instance/epoch-file.ts'
import { type Times, usualTimes } from '../src/runtime/times.ts'
import { type ApiClient, createApiClient } from './api-client.ts'
import { freePort } from './free-port.ts'
import { type ProcessEnd, readWelcome, untilReady, watchChild, type Welcome } from './server-child.ts'
import { checkout, program, spawnCommand } from './started-program.ts'
import { giveStorageBack, takeStorage } from './kept-storages.ts'
import type { CommandResult } from './run-command.ts'
import {
  databaseSettings,
  isPostgres,
  makeTestFolder,
  removeTestFolder,
  testSecret,
} from './test-database.ts'

/** The program in this process, listening on a free port. */
export interface TestApp {
  app: App
  url: string
  dataFolder: string
  client: ApiClient
  /** A new account with its first keys, as `account create` makes it. */
  openAccount(name: string): Promise<OpenedAccount>
  /** Stops the program and removes its folder. */
  stop(): Promise<void>
}

/** No test asks the addresses of a network that this machine is in. */
const inNoNetwork = (): OwnNetworks => ({ asked: [], tooLarge: [], hosts: [] })

/** Nor shows the ports of the machine that it runs on. */
const withoutPorts = async (): Promise<FoundPorts> => ({ ports: [], withoutPort: [], knowsHolders: true })

/** Tests write to numbers one beside the other, hundreds in a minute. */
const manyNeighbours = { ONESIXTY_PUMPING_MESSAGES: '0' }

/**
 * Starts the whole program, built by `createApp`, in a folder of its own, with the clock of the machine and a silent log. On the embedded database its
 * store is near (kept-storages.ts), unless the test is about the threads of a server.
 */
export async function startApp(
  env: Record<string, string> = {},
  {
    onThreads = false,
    clock = systemClock,
    networks = inNoNetwork,
    serialPorts = withoutPorts,
  }: {
    onThreads?: boolean
    clock?: Clock
    networks?: () => OwnNetworks
    serialPorts?: () => Promise<FoundPorts>
  } = {},
): Promise<TestApp> {
  const { dataFolder, open, giveBack } = await (onThreads ? makeFolder() : takeNear())
  // Beside a database that is there a server makes none.
  if (!isPostgres) await writeFile(secretFile(dataFolder), testSecret, { mode: 0o600 })
  const config = readConfig({
    ...databaseSettings(dataFolder),
    ...manyNeighbours,
    ONESIXTY_PORT: '0',
    ...env,
  })
  const log = createLog('silent', { write: () => undefined })
  const app = await createApp(config, log, clock, { open, networks, serialPorts }).catch(
    async (error: unknown) => {
      await giveBack()
      throw error
    },
  )
  const { url } = await app.start()
  const client = createApiClient(url)
  const ids = createIds({ now: systemClock.now })
  return {
    app,
    url,
    dataFolder,
    client,
    openAccount: (name) => {
      const account = { name, email: `${name.toLowerCase()}@example.org`, actor: 'test' }
      const deps = { ids, nowMs: systemClock.now(), randomBytes, config }
      return app.storage.writer.write((tx) => openAccount(tx, deps, account))
    },
    async stop() {
      client.close()
      await app.stop()
      await giveBack()
    },
  }
}

interface TakenStorage {
  dataFolder: string
  open: typeof openStorage<HotUnits>
  giveBack(): Promise<void>
}

async function takeNear(): Promise<TakenStorage> {
  const { dataFolder, storage } = await takeStorage(systemClock.now())
  return { dataFolder, open: async () => storage, giveBack: () => giveStorageBack(dataFolder) }
}

async function makeFolder(): Promise<TakenStorage> {
  const dataFolder = await makeTestFolder()
  return { dataFolder, open: openStorage, giveBack: () => removeTestFolder(dataFolder) }
}

/** The program in a process of its own, where it can be killed. */
export interface ServerProcess {
  url: string
  port: number
  pid: number
  dataFolder: string
  /** What it prints on the first start of a folder; null on a later one. */
  first: Welcome | null
  /** Everything that it has written to standard output so far. */
  output(): string
  /** Sends a signal; settles when the process has ended. */
  kill(signal: NodeJS.Signals): Promise<ProcessEnd>
  /** Stops it as an operator does. */
  stop(): Promise<ProcessEnd>
  /** Settles when it has ended, of itself or not. */
  ended: Promise<ProcessEnd>
}

/** Starts `onesixty serve` on a data folder; settles when it is ready. Rejects with what it wrote when it ends before. */
export async function startServerProcess(options: {
  dataFolder: string
  /** The same port after a restart is what clients see of one. */
  port?: number
  env?: Record<string, string>
  /** Flags of Node. */
  flags?: readonly string[] | undefined
  /** Those of the program when left out. */
  times?: Times
  /** Whether it is the first of its database, which says its first keys; when left out, whether it is the first of its folder. */
  isFirst?: boolean
  /** For what a built program does not have: `npm test` builds one for all others, which is ready in half the time. */
  ofCheckout?: boolean
  /** An end for what hangs; a busy machine with several servers is slow. */
  readyWithinMs?: number
}): Promise<ServerProcess> {
  const {
    dataFolder,
    env = {},
    times = usualTimes,
    readyWithinMs = usuallyReadyWithinMs,
    ofCheckout = false,
  } = options
  const port = options.port ?? (await freePort())
  const isFirst =
    options.isFirst ?? ![epochFile(dataFolder), databaseFile(dataFolder)].some((file) => existsSync(file))
  const settings = { ...databaseSettings(dataFolder), ...manyNeighbours, ONESIXTY_PORT: String(port), ...env }
  const { command, timedServer, keeps } = ofCheckout ? checkout : program
  const line = times === usualTimes ? [...command(options.flags), 'serve'] : timedServer(times, options.flags)
  const child = spawnCommand(line, { ...keeps, ...settings })
  const watched = watchChild(child)
  const { output, ended } = watched
  // One with times of its own ends when this pipe does.
  if (times === usualTimes) child.stdin.end()
  const kill = async (signal: NodeJS.Signals): Promise<ProcessEnd> => {
    if (watched.end() === null) child.kill(signal)
    return ended
  }
  const url = `http://127.0.0.1:${port}`
  const hasSaid = (text: string): boolean => !isFirst || /test key/.test(text)
  await untilReady(watched, { port, hasSaid, readyWithinMs, giveUp: () => kill('SIGKILL') })
  return {
    url,
    port,
    pid: child.pid as number,
    dataFolder,
    first: isFirst ? readWelcome(output()) : null,
    output,
    kill,
    stop: () => kill('SIGTERM'),
    ended,
  }
}

const usuallyReadyWithinMs = 20_000

/** Runs `onesixty <args>` to its end, in a process of its own. */
export async function cliProcess(
  args: readonly string[],
  options: { dataFolder: string; stdin?: string; env?: Record<string, string>; ofCheckout?: boolean },
): Promise<CommandResult> {
  const { command, keeps } = options.ofCheckout === true ? checkout : program
  const settings = { ...databaseSettings(options.dataFolder), ...options.env }
  const child = spawnCommand([...command(), ...args], { ...keeps, ...settings })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdin.end(options.stdin ?? '')
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout, stderr }
}

/** A new data folder under the system's own for temporary files, with a database of its own. */
export const temporaryFolder = (): Promise<string> => makeTestFolder('onesixty-proof-')
