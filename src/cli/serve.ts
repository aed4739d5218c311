import { randomBytes } from 'node:crypto'
import { type App, createApp } from '../app.ts'
import { systemClock } from '../clock.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { keepHeapSmall, keepHeapsOfThreadsSmall } from '../garbage.ts'
import { createIds } from '../ids.ts'
import { createLog, gatheredOutput, type Log } from '../log.ts'
import { mustBePutRight, UsageError } from './command-errors.ts'
import { readRoles, roles } from '../roles.ts'
import { holdsAnything } from '../storage/restore-holds.ts'
import { type Times, usualTimes } from '../times.ts'
import { makeFirstAccount, welcome } from './first-run.ts'
import { listenFault } from './listen-fault.ts'

/** What of the process a server needs; `process` fits. */
export interface ServingProcess {
  env: Readonly<Record<string, string | undefined>>
  stdout: { write(text: string): unknown }
  once(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown
  exit(code: number): never
}

/** The service: config → app → start → first run → wait for a signal → drain → stop. Gives the exit code. */
export async function serve(
  host: ServingProcess,
  options: { roles?: string } = {},
  times: Times = usualTimes,
): Promise<number> {
  // From now on: a service manager may change its mind while we start, and then we stop as at any other time.
  const signalled = nextSignal(host)
  const config = withRoles(readConfig(host.env), options.roles)
  const log = createLog(config.logLevel, gatheredOutput())
  keepHeapsOfThreadsSmall()
  const app = await createApp(config, log, systemClock, { times })
  const { url } = await app.start().catch((error: unknown) => {
    throw listenFault(error, config)
  })
  // Only now, when nothing stands between making the keys and showing them this once.
  const deps = { ids: createIds({ now: systemClock.now }), nowMs: systemClock.now(), randomBytes, config }
  const first = await makeFirstAccount(app.storage, deps).catch(async (error: unknown) => {
    await app.stop()
    throw error
  })
  if (first !== null) host.stdout.write(welcome(url, first, config))
  log.info({ url, epoch: app.epoch.epoch }, 'onesixty is ready')
  keepHeapSmall(systemClock)
  void sayWhatIsHeld(app, log)
  void app.storage.died.then((error) => {
    log.fatal({ err: error }, 'the database thread ended; ending too, so that a fresh start can take over')
    host.exit(1)
  })
  void app.secretGivenUp.then((error) => {
    log.fatal({ err: error }, 'the secret of this server was given up while it was taken for dead; ending')
    host.exit(mustBePutRight)
  })
  const signal = await signalled
  log.info({ signal }, 'stopping: finishing what is under way; once more to end at once')
  await drain(() => app.stop(), { host, log, timeoutMs: config.drainTimeoutMs })
  return 0
}

/**
 * At each start until somebody has decided, for what is held is neither sent nor expires: the start that noticed the restore may have ended before
 * it could say so.
 */
async function sayWhatIsHeld({ epoch, storage }: Pick<App, 'epoch' | 'storage'>, log: Log): Promise<void> {
  try {
    if (!epoch.restored && !(await holdsAnything(storage.read))) return
    log.warn(
      epoch.restored ? { messages: epoch.heldMessages } : {},
      'this database was restored: what waited is held; decide with onesixty restore release, cancel or settle',
    )
  } catch (error) {
    log.error(
      { err: error },
      'it could not be told whether a restore holds messages; onesixty doctor says it',
    )
  }
}

/** What the command line says goes before the settings. */
function withRoles(config: Config, text: string | undefined): Config {
  try {
    const asked = text === undefined ? config.roles : readRoles(text)
    if (config.databaseUrl !== null || asked.length === roles.length) return { ...config, roles: asked }
  } catch (error) {
    throw new UsageError(`--roles ${(error as Error).message}.`)
  }
  throw new ConfigError(
    'Roles share the work out among servers, which takes PostgreSQL (DATABASE_URL). On the embedded database one server does everything: leave --roles and ONESIXTY_ROLES out.',
  )
}

const nextSignal = (host: ServingProcess): Promise<string> =>
  new Promise((resolve) => {
    host.once('SIGTERM', () => resolve('SIGTERM'))
    host.once('SIGINT', () => resolve('SIGINT'))
  })

/**
 * Takes no new requests, finishes and stores what is under way. A second signal, or a drain that takes longer than it may, ends the process
 * at once; nothing accepted is lost by that.
 */
async function drain(
  stop: () => Promise<void>,
  { host, log, timeoutMs }: { host: ServingProcess; log: Log; timeoutMs: number },
): Promise<void> {
  const giveUp = (why: string): void => {
    log.warn(why)
    host.exit(1)
  }
  void nextSignal(host).then(() => giveUp('ended by a second signal'))
  const overdue = setTimeout(() => giveUp('ended before everything was finished'), timeoutMs)
  await stop()
  clearTimeout(overdue)
  log.info('stopped')
}
