import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeDataFolder } from '../../process/data-folder.ts'

export interface FolderLock {
  /** Releases the folder. A second call is harmless. */
  release(): void
}

/** Thrown if another process uses the data folder. */
export class FolderLockedError extends Error {
  override readonly name = 'FolderLockedError'
}

/**
 * Locks a data folder for one server. The lock is an exclusive transaction on a small database, which the
 * operating system ends with the process in any case, so there are no stale locks. A file next to it only
 * names the holder for a second server. Throws `FolderLockedError`.
 */
export async function lockFolder(
  dataFolder: string,
  holder: { nowMs: number; purpose: string },
): Promise<FolderLock> {
  await makeDataFolder(dataFolder)
  const notice = join(dataFolder, 'lock.json')
  const database = new DatabaseSync(join(dataFolder, 'lock.db'), { timeout: 0 })
  try {
    // Nothing is ever written, so no journal is needed.
    database.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    database.close()
    if (!isBusy(error)) throw error
    throw new FolderLockedError(
      `The data folder ${dataFolder} is in use${describeHolder(notice)}. Stop that process, or use another folder (ONESIXTY_DATA).`,
    )
  }
  const since = new Date(holder.nowMs).toISOString()
  await writeFile(notice, `${JSON.stringify({ pid: process.pid, purpose: holder.purpose, since })}\n`, {
    mode: 0o600,
  })
  return {
    release() {
      if (database.isOpen) database.close()
    },
  }
}

/** SQLITE_BUSY, section 3 of sqlite.org/rescode.html. */
const isBusy = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === 5

/** Returns what the holder wrote about itself; empty if it has not done so yet. */
function describeHolder(notice: string): string {
  try {
    const { pid, purpose, since } = JSON.parse(readFileSync(notice, 'utf8')) as Record<string, unknown>
    return ` by ${String(purpose)}, process ${String(pid)}, since ${String(since)}`
  } catch {
    return ''
  }
}
