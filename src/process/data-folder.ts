import { randomBytes } from 'node:crypto'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from '../config.ts'
import { hasCode, isLastingFault, isThere } from './durable-file.ts'

/** The embedded database of a data folder. */
export const databaseFile = (dataFolder: string): string => join(dataFolder, 'onesixty.db')

/**
 * Creates the data folder if it is missing, readable only by its owner, and creates and removes a file in it.
 * Access rights alone do not show whether that works (read-only disks, `/proc`, root). Throws if it fails.
 */
export async function makeDataFolder(dataFolder: string): Promise<void> {
  try {
    await makeFolders(dataFolder)
    const probe = join(dataFolder, `.writable-${randomBytes(6).toString('hex')}`)
    await (await open(probe, 'wx', 0o600)).close()
    await rm(probe)
  } catch (error) {
    const { code = 'unknown' } = error as { code?: string }
    throw unwritable(dataFolder, code)
  }
}

/**
 * Returns the error for a data folder that is not writable: a `ConfigError` only if a retry would fail in the
 * same way.
 */
export function unwritable(dataFolder: string, code: string): Error {
  const problem = `ONESIXTY_DATA: the folder ${dataFolder} cannot be created or written to (${code}).`
  return isLastingFault(code)
    ? new ConfigError(`${problem} Choose another folder, or grant this user write access.`)
    : new Error(
        `${problem} If the disk is full, free some space; the next attempt succeeds once the cause is gone.`,
      )
}

/**
 * Replaces `recursive` of Node.js 24, which never returns for a folder that exists but reports that nothing
 * can be in it, as `/proc` does: it alternates between the folder and its parent indefinitely.
 */
async function makeFolders(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (hasCode(error, 'EEXIST') && (await stat(path)).isDirectory()) return
    const parent = dirname(path)
    if (!hasCode(error, 'ENOENT') || parent === path) throw error
    // Another process may have created the parent meanwhile, and the folder too.
    if (!(await isThere(parent))) await makeFolders(parent)
    await mkdir(path, { mode: 0o700 }).catch((again: unknown) => {
      if (!hasCode(again, 'EEXIST')) throw again
    })
  }
}
