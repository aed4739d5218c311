import type { Config } from '../config.ts'
import type { App } from '../app.ts'
import type { Log } from '../log.ts'

/** How the outside tells the process to stop, and how it ends. */
export interface Signals {
  onStop(listener: (name: string) => void): void
  exit(code: number): void
}

/**
 * Runs until a signal, then drains: no new requests, what is under way is finished and stored. A second signal, or a drain that takes
 * longer than the setting allows, ends the process at once; nothing accepted is lost by that.
 */
export async function serveUntilSignal(
  app: App,
  { config, log, signals }: { config: Config; log: Log; signals: Signals },
): Promise<number> {
  const name = await new Promise<string>((resolve) => signals.onStop(resolve))
  log.info({ signal: name }, 'stopping: finishing what is under way; once more to end at once')
  signals.onStop(() => {
    log.warn('ended by a second signal')
    signals.exit(1)
  })
  const overdue = setTimeout(() => {
    log.warn({ after_ms: config.drainTimeoutMs }, 'ended before everything was finished')
    signals.exit(1)
  }, config.drainTimeoutMs)
  await app.stop()
  clearTimeout(overdue)
  log.info('stopped')
  return 0
}
