import type { Clock } from '../../runtime/clock.ts'
import { clusterOf, databaseTime } from '../seam/database-time.ts'
import type { Tx } from '../seam/dialect.ts'
import { holdWaiting } from './epoch.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'
import { catchUp } from './progress.ts'
import { agreeAgain, SecretGivenUpError } from './secret-mark.ts'

export interface NodeStart {
  /** Epoch of this start: its ID, and its fencing token. */
  epoch: number
  /** Name of the machine and the data folder; the same at each start. */
  name: string
  /**
   * Epoch of the previous start in this data folder, which has ended, as the lock proves; null if there was
   * none.
   */
  before: number | null
  /** True if no other process can serve the database: every earlier start has ended. */
  isAlone: boolean
  /** True if it can run the cleanup jobs for all nodes. */
  tidies: boolean
}

/** Thrown if another server of the database has the name of this one. */
export class NodeNameTakenError extends Error {
  override readonly name = 'NodeNameTakenError'
}

/**
 * Runs at every start of a server, before it claims anything: registers it as alive. The previous start in
 * its data folder has ended, so it is marked as left immediately, however recent its last heartbeat is.
 * Rejects the name of another live node.
 */
export async function joinNodes(
  tx: Tx,
  clock: Pick<Clock, 'now'>,
  start: NodeStart,
  { silenceMs }: Pick<Times, 'silenceMs'> = usualTimes,
): Promise<void> {
  const { epoch, name, before, isAlone, tidies } = start
  const now = await databaseTime(tx, clock)
  if (!isAlone) {
    const namesake = await tx
      .selectFrom('nodes')
      .select('started_at')
      .where('left_at', 'is', null)
      .where('name', '=', name)
      .where('epoch', '!=', before ?? 0)
      .where('beat_at', '>', now - silenceMs)
      .executeTakeFirst()
    if (namesake !== undefined)
      throw new NodeNameTakenError(
        `A server named ${name} has been running on this database since ${new Date(namesake.started_at).toISOString()}, from another data folder. Give each server its own name (ONESIXTY_NODE), or wait ${silenceMs / 1000} s if that server was lost with its folder, or stopped during its start.`,
      )
  }
  const alive = tx.updateTable('nodes').set({ left_at: now }).where('left_at', 'is', null)
  const ended = isAlone
    ? alive
    : alive.where((is) => is.or([is('epoch', '=', before ?? 0), is('name', '=', name)]))
  await ended.execute()
  const row = {
    name,
    started_at: now,
    beat_at: now,
    left_at: null,
    tidies: tidies ? 1 : 0,
    certificate: null,
  } as const
  // A start that was interrupted after its commit leaves the row of an unused epoch, which the next start
  // reuses (epoch.ts).
  await tx
    .insertInto('nodes')
    .values({ epoch, ...row })
    .onConflict((conflict) => conflict.column('epoch').doUpdateSet(row))
    .execute()
}

export interface Beat {
  /** Epochs of all live nodes, including this one, in ascending order. */
  alive: readonly number[]
  /** The node that runs the cleanup jobs: of those that can, the one that started first; null if none can. */
  leader: number | null
  /** Nodes that were silent for too long: they are now declared dead. */
  silenced: readonly number[]
  /** True if this node had been declared dead: others settle what it had open. */
  wasSilenced: boolean
  /** Time of this heartbeat. */
  saidAt: number
  /**
   * Progress of the database with the work of all nodes (progress.ts). A node that knows it can detect a
   * restore.
   */
  progress: number
  /**
   * Number of messages held because the database lacks this node's previous heartbeat: it was restored (P14).
   * Null if it was not.
   */
  held: number | null
}

/**
 * Records the heartbeat of a node, and declares silent nodes dead. Both are facts for all nodes from the
 * commit on. `saidBefore` is the time of its previous heartbeat, and `known` the progress that it has seen. A
 * database that lacks that heartbeat, or is not as far, was restored while this node ran: all queued messages
 * are held, as at a start. If it has it, the node continues with its work, on any server: the history there
 * is what the next start compares with. Throws `SecretGivenUpError` for a node that was silent for so long
 * that its secrets (`marks`) could be declared lost meanwhile, and were.
 */
export async function beatNode(
  tx: Tx,
  clock: Pick<Clock, 'now'>,
  {
    epoch,
    name,
    tidies,
    marks,
    saidBefore = null,
    known = 0,
  }: Pick<NodeStart, 'epoch' | 'name' | 'tidies'> & {
    marks: readonly string[]
    saidBefore?: number | null
    known?: number
  },
  { silenceMs }: Pick<Times, 'silenceMs'> = usualTimes,
): Promise<Beat> {
  const now = await databaseTime(tx, clock)
  const self = await tx
    .selectFrom('nodes')
    .select(['left_at', 'beat_at'])
    .where('epoch', '=', epoch)
    .executeTakeFirst()
  const { progress, isOutdated } = await catchUp(tx, known)
  const isRestored = isOutdated || (saidBefore !== null && (self === undefined || self.beat_at < saidBefore))
  const wasSilent = self === undefined || self.left_at !== null || self.beat_at <= now - silenceMs
  const lacks = isRestored || wasSilent ? await agreeAgain(tx, marks, now) : null
  if (lacks !== null) throw new SecretGivenUpError(lacks)
  const held = isRestored ? await holdWaiting(tx, now) : null
  await followCluster(tx, epoch)
  if (self === undefined)
    await tx
      .insertInto('nodes')
      .values({ epoch, name, started_at: now, beat_at: now, left_at: null, tidies: tidies ? 1 : 0 })
      .execute()
  else await tx.updateTable('nodes').set({ beat_at: now, left_at: null }).where('epoch', '=', epoch).execute()
  const silenced = await tx
    .updateTable('nodes')
    .set({ left_at: now })
    .where('left_at', 'is', null)
    .where('beat_at', '<=', now - silenceMs)
    .returning('epoch')
    .execute()
  const alive = await tx
    .selectFrom('nodes')
    .select(['epoch', 'tidies'])
    .where('left_at', 'is', null)
    .orderBy('epoch')
    .execute()
  return {
    alive: alive.map((row) => row.epoch),
    leader: alive.find((row) => row.tidies === 1)?.epoch ?? null,
    silenced: silenced.map((row) => row.epoch),
    wasSilenced: self === undefined || self.left_at !== null,
    saidAt: now,
    progress,
    held,
  }
}

/**
 * After a failover, adopts the history of the new server. If the epoch was reset with the database, it
 * continues from here.
 */
async function followCluster(tx: Tx, epoch: number): Promise<void> {
  const cluster = await clusterOf(tx)
  if (cluster === null) return
  await tx
    .updateTable('instance')
    .set({ cluster })
    .where((is) => is.or([is('cluster', 'is', null), is('cluster', '!=', cluster)]))
    .execute()
  await tx.updateTable('instance').set({ epoch }).where('epoch', '<', epoch).where('epoch', '>=', 0).execute()
}

/** Marks this node as left, after everything has stopped: it has nothing open, and no node needs to wait. */
export async function leaveNodes(tx: Tx, clock: Pick<Clock, 'now'>, epoch: number): Promise<void> {
  const now = await databaseTime(tx, clock)
  await tx.updateTable('nodes').set({ left_at: now }).where('epoch', '=', epoch).execute()
}

/**
 * Returns whether a server of a shared database is alive. A server of an embedded one records a heartbeat
 * only at its start; the lock of its folder shows whether it runs.
 */
export async function hasLivingNode(tx: Tx, clock: Pick<Clock, 'now'>): Promise<boolean> {
  const now = await databaseTime(tx, clock)
  const living = await tx
    .selectFrom('nodes')
    .select('epoch')
    .where('left_at', 'is', null)
    .where('beat_at', '>', now - usualTimes.silenceMs)
    .limit(1)
    .executeTakeFirst()
  return living !== undefined
}

/**
 * Returns nodes that were alive a moment ago and have just stopped, or have just been replaced by a new start
 * of the same server.
 */
export async function readJustLeft(
  tx: Tx,
  clock: Pick<Clock, 'now'>,
  { silenceMs, followerFirstMs }: Pick<Times, 'silenceMs' | 'followerFirstMs'> = usualTimes,
): Promise<number[]> {
  const now = await databaseTime(tx, clock)
  const rows = await tx
    .selectFrom('nodes')
    .select('epoch')
    .where('left_at', '>', now - followerFirstMs)
    .where((is) => is('beat_at', '>', is(is.ref('left_at'), '-', silenceMs)))
    .execute()
  return rows.map(({ epoch }) => epoch)
}
