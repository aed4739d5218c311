import { randomBytes } from 'node:crypto'
import { type App, createApp } from '../../app/app.ts'
import { systemClock } from '../../runtime/clock.ts'
import { type Config, ConfigError, readConfig } from '../../config.ts'
import { keepHeapSmall, keepHeapsOfThreadsSmall } from '../../process/garbage.ts'
import { createIds } from '../../runtime/ids.ts'
import { createLog, gatheredOutput, type Log } from '../../process/log.ts'
import { mustBeFixed, UsageError } from '../core/command-errors.ts'
import { readRoles, roles } from '../../settings/roles.ts'
import { holdsAnything } from '../../storage/instance/restore-holds.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'
import { makeFirstAccount, welcome } from './first-run.ts'
import { findOperator, welcomeBack } from './second-start.ts'
import { listenFault } from './listen-fault.ts'
import { ownCommand } from '../../process/own-command.ts'

/** The members of `process` that a server uses. */
export interface ServingProcess {
  env: Readonly<Record<string, string | undefined>>
  /** A terminal is read by a person, everything else by a program. */
  stdout: { write(text: string): unknown; isTTY?: boolean }
  once(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown
  exit(code: number): never
}

/** Config → app → start → first run → wait for a signal → drain → stop. Returns the exit code. */
export async function serve(
  host: ServingProcess,
  options: { roles?: string } = {},
  times: Times = usualTimes,
): Promise<number> {
  // Before the start: a service manager can stop the server during its start, which then stops like any other.
  const signalled = nextSignal(host)
  const config = withRoles(readConfig(host.env), options.roles)
  const log = createLog(config.logLevel, gatheredOutput())
  keepHeapsOfThreadsSmall()
  const app = await createApp(config, log, systemClock, { times })
  const { url } = await app.start().catch((error: unknown) => {
    throw listenFault(error, config)
  })
  // Last, so that nothing can fail between the creation of the keys and the only time they are shown.
  const deps = { ids: createIds({ now: systemClock.now }), nowMs: systemClock.now(), randomBytes, config }
  const first = await makeFirstAccount(app.storage, deps).catch(async (error: unknown) => {
    await app.stop()
    throw error
  })
  if (first !== null) host.stdout.write(welcome(url, first, config))
  else if (host.stdout.isTTY === true) await writeWelcomeBack(host, app, { url, log })
  log.info({ url, epoch: app.epoch.epoch }, 'onesixty is ready')
  // The output is half a second late otherwise, and what starts the server waits for this line.
  log.flush()
  keepHeapSmall(systemClock)
  void reportHeldMessages(app, log)
  void app.storage.died.then((error) => {
    log.fatal({ err: error }, 'the database thread ended; exiting for a restart')
    host.exit(1)
  })
  void app.secretGivenUp.then((error) => {
    log.fatal({ err: error }, 'the secret of this node was removed while it was declared dead; exiting')
    host.exit(mustBeFixed)
  })
  const signal = await signalled
  log.info({ signal }, 'stopping: finishing work in flight; a second signal exits immediately')
  await drain(() => app.stop(), { host, log, timeoutMs: config.drainTimeoutMs })
  return 0
}

/** A start does not fail because a person cannot be welcomed. */
async function writeWelcomeBack(
  { stdout }: Pick<ServingProcess, 'stdout'>,
  { storage }: Pick<App, 'storage'>,
  { url, log }: { url: string; log: Log },
): Promise<void> {
  try {
    stdout.write(welcomeBack(url, await findOperator(storage.read)))
  } catch (error) {
    log.error({ err: error }, `cannot read who set this server up; run ${ownCommand()} doctor`)
  }
}

/**
 * Logs at each start that messages are held, until the operator has decided: held messages are neither sent nor
 * expire, and the start that noticed the restore may have exited before it logged anything.
 */
async function reportHeldMessages(
  { epoch, storage }: Pick<App, 'epoch' | 'storage'>,
  log: Log,
): Promise<void> {
  try {
    if (!epoch.restored && !(await holdsAnything(storage.read))) return
    log.warn(
      epoch.restored ? { messages: epoch.heldMessages } : {},
      `this database was restored: scheduled and queued messages are held; decide with ${ownCommand()} restore release, cancel or settle`,
    )
  } catch (error) {
    log.error({ err: error }, `cannot read whether a restore holds messages; run ${ownCommand()} doctor`)
  }
}

/** The command line overrides the settings. */
function withRoles(config: Config, text: string | undefined): Config {
  try {
    const asked = text === undefined ? config.roles : readRoles(text)
    if (config.databaseUrl !== null || asked.length === roles.length) return { ...config, roles: asked }
  } catch (error) {
    throw new UsageError(`--roles ${(error as Error).message}.`)
  }
  throw new ConfigError(
    'Roles need PostgreSQL (DATABASE_URL). On the embedded database one server has all roles: remove --roles and ONESIXTY_ROLES.',
  )
}

const nextSignal = (host: ServingProcess): Promise<string> =>
  new Promise((resolve) => {
    host.once('SIGTERM', () => resolve('SIGTERM'))
    host.once('SIGINT', () => resolve('SIGINT'))
  })

/**
 * Accepts no new requests, finishes and stores work in flight. A second signal or the drain timeout ends the process
 * immediately; nothing accepted is lost by that.
 */
async function drain(
  stop: () => Promise<void>,
  { host, log, timeoutMs }: { host: ServingProcess; log: Log; timeoutMs: number },
): Promise<void> {
  const exitNow = (why: string): void => {
    log.warn(why)
    host.exit(1)
  }
  void nextSignal(host).then(() => exitNow('exiting after a second signal'))
  const overdue = setTimeout(() => exitNow('exiting after the drain timeout'), timeoutMs)
  await stop()
  clearTimeout(overdue)
  log.info('stopped')
}
