import type { Storage } from '../seam/storage.ts'
import type { Db, Tx } from '../seam/dialect.ts'
import { type EpochFile, readEpochFile, writeEpochFile } from './epoch-file.ts'
import { refuseEmptied } from './lost-database.ts'
import { refuseMovedTables } from './moved.ts'
import { holdAll, releasePage } from './restore-holds.ts'

export interface EpochStart {
  /** Larger than that of every start before: a fencing token for what this process does. */
  epoch: number
  /** The database is older than what has been done with it (P14). */
  restored: boolean
  /** How many messages are held back because of that. */
  heldMessages: number
  /** The epoch of the start before in this data folder, as its file has it; null when it has none, or one of another database. */
  before: number | null
  /** What the file beside the database says from now on. */
  file: EpochFile & { createdAt: number }
}

/**
 * Part of every start of a server, before anything is claimed: writes the next epoch to the database, then to a file beside it. A
 * database that comes back from a backup is behind its file, has none, or bears the mark that `markAsCopy` gave it; then all that
 * waits is held, so that a restore never sends again what was sent after the backup (P14). A crash between the two writes leaves
 * the file one behind, which is no restore. The file also says when its database was made: in a folder that served another one before, it
 * tells nothing of this one. `enter` is part of the same transaction: where it fails there was no start. Refuses a file that is damaged or out of
 * reach, and an empty database in a folder that has served one (`UnusableError`).
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
      .select(['epoch', 'progress', 'cluster', 'created_at'])
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
      await tx.updateTable('instance').set({ epoch, progress, cluster }).where('id', '=', 1).execute()
    }
    const heldMessages = restored ? await holdWaiting(tx, nowMs) : 0
    const begun = { epoch, restored, heldMessages, before: inFile?.epoch ?? null }
    await enter(tx, begun)
    return { ...begun, file: { epoch, progress, createdAt: instance?.created_at ?? nowMs } }
  })
  await writeEpochFile(dataFolder, start.file)
  return start
}

type Told = Pick<EpochFile, 'epoch' | 'progress'>

/** What the next epoch is, and whether this database was restored, from what it and the file say. */
export function nextEpoch(
  inDatabase: Told | null,
  inFile: Told | null,
): { epoch: number; restored: boolean } {
  if (inDatabase === null) return { epoch: 1, restored: false }
  const epoch = Math.max(Math.abs(inDatabase.epoch), inFile?.epoch ?? 0)
  const isCopy = inDatabase.epoch < 0
  const isBehind = (inFile?.progress ?? 0) > inDatabase.progress
  // The start that was cut off between its two writes is made up for: its epoch was never used.
  if (!isCopy && !isBehind && inFile?.epoch === inDatabase.epoch - 1) return { epoch, restored: false }
  return { epoch: epoch + 1, restored: isCopy || isBehind || inFile?.epoch !== inDatabase.epoch }
}

/**
 * The same for a database that several nodes share: each has a file of its own, which says the last epoch of that node and how far it saw the
 * database, so one that is behind or missing is no restore. Restored is a database that is behind any node's file, or that lies on another history
 * than the one it was last served on: a dump that was read into another server, or a recovery, which begins a new timeline.
 */
export function nextSharedEpoch(
  inDatabase: (Told & { cluster: string | null }) | null,
  { inFile, cluster }: { inFile: Told | null; cluster: string },
): { epoch: number; restored: boolean } {
  if (inDatabase === null) return { epoch: 1, restored: false }
  const { epoch, progress } = inDatabase
  const isElsewhere = inDatabase.cluster !== null && inDatabase.cluster !== cluster
  const isBehind = (inFile?.epoch ?? 0) > epoch || (inFile?.progress ?? 0) > progress
  return {
    epoch: Math.max(Math.abs(epoch), inFile?.epoch ?? 0) + 1,
    restored: epoch < 0 || isElsewhere || isBehind,
  }
}

/** Whether a server that started on this embedded database now would take it for a restored one. */
export async function wouldBeRestored(db: Db, dataFolder: string): Promise<boolean> {
  const instance = await db
    .selectFrom('instance')
    .select(['epoch', 'progress', 'created_at'])
    .executeTakeFirst()
  return nextEpoch(instance ?? null, about(await readEpochFile(dataFolder), instance)).restored
}

/** Marks the copy of a database as one, so that it is known wherever and whenever it is opened by a server. */
export async function markAsCopy(tx: Tx): Promise<void> {
  await tx
    .updateTable('instance')
    .set(({ eb }) => ({ epoch: eb.neg(eb.fn<number>('abs', ['epoch'])) }))
    .execute()
}

/**
 * Holds everything that waits: neither claimed nor expired until somebody decides. No phone is asked any more for what it was offered: nobody
 * knows what it has said since the backup.
 */
export async function holdWaiting(tx: Tx, nowMs: number): Promise<number> {
  await tx.updateTable('phone_offers').set({ closed_at: nowMs }).where('closed_at', 'is', null).execute()
  return holdAll(tx)
}

/**
 * Lets everything go that a restore holds, page by page, each in a transaction of its own, so that a running server never waits long for one; gives how
 * many messages. They are sent, when their time has come, unless their validity has ended.
 */
export async function releaseHeld({ writer }: Pick<Storage, 'writer'>): Promise<number> {
  let released = 0
  for (let page = 1; page > 0; released += page) page = await writer.write((tx) => releasePage(tx))
  return released
}

/** What a file says of this database; one that is about another says nothing of it. */
const about = (file: EpochFile | null, instance: { created_at: number } | undefined): EpochFile | null =>
  file === null || (instance !== undefined && ![null, instance.created_at].includes(file.createdAt))
    ? null
    : file
