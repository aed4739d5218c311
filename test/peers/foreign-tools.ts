import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** What `node test/peers/fetch-peers.ts` fetches and builds; .ci/run runs it. */
export const fetchedFolder = join(import.meta.dirname, '../../node_modules/.cache/onesixty/peers')

/** Whether all these commands are there. Without them there is nothing to be proved: .ci/run installs them. */
export const hasCommands = (...commands: readonly string[]): boolean =>
  commands.every((command) => {
    try {
      execFileSync('/bin/sh', ['-c', 'command -v "$0"', command], { stdio: 'ignore', env: foreignEnv() })
      return true
    } catch {
      return false
    }
  })

/** Whether something of `fetchedFolder` is there. */
export const hasFetched = (name: string): boolean => existsSync(join(fetchedFolder, name))

/** Daemons are in sbin, which not every user has in PATH. */
export const foreignEnv = (more: Record<string, string> = {}): Record<string, string | undefined> => ({
  ...process.env,
  PATH: `${process.env['PATH']}:/usr/sbin:/sbin`,
  LC_ALL: 'C.UTF-8',
  ...more,
})

/** With packages that fetch-peers.ts put into a folder. */
export const pythonEnv = (packages: string): Record<string, string | undefined> =>
  foreignEnv({ PYTHONPATH: join(fetchedFolder, packages), PYTHONDONTWRITEBYTECODE: '1' })
