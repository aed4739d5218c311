import { randomBytes } from 'node:crypto'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from '../config.ts'
import { hasCode, isLastingFault, isThere } from './durable-file.ts'

/** The embedded database of a data folder. */
export const databaseFile = (dataFolder: string): string => join(dataFolder, 'onesixty.db')

/**
 * Makes the data folder when it is missing, for its owner alone, and makes and removes a file in it: rights alone do not tell whether that works
 * (read-only disks, `/proc`, a user who may do everything). Refuses one where it does not.
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

/** What is said of a folder that nothing can be written to: of wrong settings only where a later try would find the same. */
export function unwritable(dataFolder: string, code: string): Error {
  const words = `ONESIXTY_DATA: the folder ${dataFolder} cannot be made or written to (${code}).`
  return isLastingFault(code)
    ? new ConfigError(`${words} Name another, or let this user write there.`)
    : new Error(`${words} Make room where it is full; the next try goes on once this has passed.`)
}

/**
 * Not `recursive` of Node 24, which never ends where a folder is there and says that nothing can be in it, as `/proc` does: it tries
 * the folder and its parent in turn for ever.
 */
async function makeFolders(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (hasCode(error, 'EEXIST') && (await stat(path)).isDirectory()) return
    const parent = dirname(path)
    if (!hasCode(error, 'ENOENT') || parent === path) throw error
    // Another process may have made the parent meanwhile, and the folder too.
    if (!(await isThere(parent))) await makeFolders(parent)
    await mkdir(path, { mode: 0o700 }).catch((again: unknown) => {
      if (!hasCode(again, 'EEXIST')) throw again
    })
  }
}
