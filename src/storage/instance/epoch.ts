import type { Storage } from '../seam/storage.ts'
import type { Db, Tx } from '../seam/dialect.ts'
import { type EpochFile, readEpochFile, writeEpochFile } from './epoch-file.ts'
import { refuseEmptied } from './lost-database.ts'
import { refuseMovedTables } from './moved.ts'
import { setProgress, totalProgress } from './progress.ts'
import { holdAll, releasePage } from './restore-holds.ts'

export interface EpochStart {
  /** Larger than that of any earlier start: the fencing token of this process. */
  epoch: number
  /** True if the database is older than the work done with it (P14). */
  restored: boolean
  /** Number of messages held because of that. */
  heldMessages: number
  /**
   * Epoch of the previous start in this data folder, from its file; null if there is none, or if the file is
   * about another database.
   */
  before: number | null
  /** Content of the epoch file from now on. */
  file: EpochFile & { createdAt: number }
}

/**
 * Runs at every start of a server, before anything is claimed: writes the next epoch to the database, then to
 * a file next to it. A database restored from a backup is older than its file, has no file, or bears the mark
 * of `markAsCopy`; then all scheduled and queued messages are held, so that a restore never resends what was sent after the
 * backup (P14). A crash between the two writes leaves the file one epoch behind, which is no restore. The
 * file also records when its database was created: in a folder that served another database before, it does
 * not apply to this one. `enter` is part of the same transaction; if it fails, there was no start. Throws
 * `UnusableError` for a file that is damaged or not accessible, and for an empty database in a folder that
 * has served one.
 */
export async function advanceEpoch(
  storage: Pick<Storage, 'writer' | 'cluster'>,
  dataFolder: string,
  nowMs: number,
  enter: (tx: Tx, start: Omit<EpochStart, 'file'>) => Promise<void> = async () => undefined,
): Promise<EpochStart> {
  const file = await readEpochFile(dataFolder)
  const { cluster } = storage
  const start = await storage.writer.write(async (tx) => {
    await refuseMovedTables(tx, dataFolder)
    await refuseEmptied(tx, dataFolder)
    const instance = await tx
      .selectFrom('instance')
      .select(['epoch', 'cluster', 'created_at', totalProgress.as('progress')])
      .where('id', '=', 1)
      .executeTakeFirst()
    const inFile = about(file, instance)
    const { epoch, restored } =
      cluster === null
        ? nextEpoch(instance ?? null, inFile)
        : nextSharedEpoch(instance ?? null, { inFile, cluster })
    const progress = Math.max(instance?.progress ?? 0, inFile?.progress ?? 0)
    if (instance === undefined) {
      const row = { id: 1, epoch, progress, directory_version: 1, created_at: nowMs, cluster }
      await tx.insertInto('instance').values(row).execute()
    } else {
      await tx.updateTable('instance').set({ epoch, cluster }).where('id', '=', 1).execute()
      await setProgress(tx, progress)
    }
    const heldMessages = restored ? await holdWaiting(tx, nowMs) : 0
    const begun = { epoch, restored, heldMessages, before: inFile?.epoch ?? null }
    await enter(tx, begun)
    return { ...begun, file: { epoch, progress, createdAt: instance?.created_at ?? nowMs } }
  })
  await writeEpochFile(dataFolder, start.file)
  return start
}

type Progress = Pick<EpochFile, 'epoch' | 'progress'>

/** Returns the next epoch, and whether this database was restored, from the database and the file. */
export function nextEpoch(
  inDatabase: Progress | null,
  inFile: Progress | null,
): { epoch: number; restored: boolean } {
  if (inDatabase === null) return { epoch: 1, restored: false }
  const epoch = Math.max(Math.abs(inDatabase.epoch), inFile?.epoch ?? 0)
  const isCopy = inDatabase.epoch < 0
  const isOutdated = (inFile?.progress ?? 0) > inDatabase.progress
  // The previous start was interrupted between its two writes: its epoch was never used.
  if (!isCopy && !isOutdated && inFile?.epoch === inDatabase.epoch - 1) return { epoch, restored: false }
  return { epoch: epoch + 1, restored: isCopy || isOutdated || inFile?.epoch !== inDatabase.epoch }
}

/**
 * Same as `nextEpoch` for a database that several nodes share. Each node has its own file, with its last
 * epoch and the progress that it saw, so an older or missing file is no restore. A database is restored if it
 * is older than the file of any node, or has another history than when it was last served: a dump that was
 * loaded into another server, or a recovery, which starts a new timeline.
 */
export function nextSharedEpoch(
  inDatabase: (Progress & { cluster: string | null }) | null,
  { inFile, cluster }: { inFile: Progress | null; cluster: string },
): { epoch: number; restored: boolean } {
  if (inDatabase === null) return { epoch: 1, restored: false }
  const { epoch, progress } = inDatabase
  const isElsewhere = inDatabase.cluster !== null && inDatabase.cluster !== cluster
  const isOutdated = (inFile?.epoch ?? 0) > epoch || (inFile?.progress ?? 0) > progress
  return {
    epoch: Math.max(Math.abs(epoch), inFile?.epoch ?? 0) + 1,
    restored: epoch < 0 || isElsewhere || isOutdated,
  }
}

/** Returns whether a server that starts on this embedded database now would treat it as restored. */
export async function wouldBeRestored(db: Db, dataFolder: string): Promise<boolean> {
  const instance = await db
    .selectFrom('instance')
    .select(['epoch', 'created_at', totalProgress.as('progress')])
    .executeTakeFirst()
  return nextEpoch(instance ?? null, about(await readEpochFile(dataFolder), instance)).restored
}

/** Marks a copy of a database, so that every server that opens it treats it as restored. */
export async function markAsCopy(tx: Tx): Promise<void> {
  await tx
    .updateTable('instance')
    .set(({ eb }) => ({ epoch: eb.neg(eb.fn<number>('abs', ['epoch'])) }))
    .execute()
}

/**
 * Holds all scheduled and queued messages: they are neither claimed nor expired until the operator decides. Offers to
 * phones are closed: what the phones reported since the backup is unknown.
 */
export async function holdWaiting(tx: Tx, nowMs: number): Promise<number> {
  await tx.updateTable('phone_offers').set({ closed_at: nowMs }).where('closed_at', 'is', null).execute()
  return holdAll(tx)
}

/**
 * Releases all messages that a restore holds, page by page in separate transactions, so that a running server
 * never waits long. Returns their number. They are sent when due, unless they have expired.
 */
export async function releaseHeld({ writer }: Pick<Storage, 'writer'>): Promise<number> {
  let released = 0
  for (let page = 1; page > 0; released += page) page = await writer.write((tx) => releasePage(tx))
  return released
}

/** Returns the file if it is about this database, else null. */
const about = (file: EpochFile | null, instance: { created_at: number } | undefined): EpochFile | null =>
  file === null || (instance !== undefined && ![null, instance.created_at].includes(file.createdAt))
    ? null
    : file
