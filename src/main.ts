#!/usr/bin/env node
import { randomBytes } from 'node:crypto'
import { createApp } from './app.ts'
import { runCommandLine } from './cli/command-line.ts'
import { makeFirstAccount, welcome } from './cli/first-run.ts'
import { serveUntilSignal } from './cli/serve.ts'
import { systemClock } from './clock.ts'
import { readConfig } from './config.ts'
import { createIds } from './ids.ts'
import { createLog, gatheredOutput } from './log.ts'

/** The program: config → app → first run → start → wait for a signal → drain → stop. */
async function serve(): Promise<number> {
  const config = readConfig(process.env)
  const log = createLog(config.logLevel, gatheredOutput())
  const app = await createApp(config, log)
  const deps = { ids: createIds({ now: systemClock.now }), nowMs: systemClock.now(), randomBytes, config }
  const first = await makeFirstAccount(app.storage, deps)
  const { url } = await app.start()
  if (first !== null) process.stdout.write(welcome(url, first, config))
  log.info({ url, epoch: app.epoch.epoch }, 'onesixty is ready')
  if (app.epoch.restored)
    log.warn(
      { messages: app.epoch.heldMessages },
      'this database was restored: what waited is held; decide with onesixty restore release, cancel or settle',
    )
  const signals = {
    onStop: (listener: (name: string) => void) => {
      for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => listener(name))
    },
    exit: (code: number) => process.exit(code),
  }
  return serveUntilSignal(app, { config, log, signals })
}

process.exitCode = await runCommandLine(process.argv.slice(2), process, serve)
