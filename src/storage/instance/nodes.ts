import type { Clock } from '../../runtime/clock.ts'
import { clusterOf, databaseTime } from '../seam/database-time.ts'
import type { Tx } from '../seam/dialect.ts'
import { holdWaiting } from './epoch.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'
import { catchUp } from './progress.ts'
import { agreeAgain, SecretGivenUpError } from './secret-mark.ts'

export interface NodeStart {
  /** Of this start: names it, and fences what it does. */
  epoch: number
  /** Of the machine and the data folder; the same at each of its starts. */
  name: string
  /** Of the start before in the same data folder, whose lock proves that it has ended; null when there was none. */
  before: number | null
  /** It is proven that no other process serves the database: every start before has ended. */
  isAlone: boolean
  /** Whether it may tidy up for all. */
  tidies: boolean
}

/** Another server of the database bears the name of this one. */
export class NodeNameTakenError extends Error {
  override readonly name = 'NodeNameTakenError'
}

/**
 * Part of every start of a server, before it claims anything: from now on it counts as alive. The start before in its data folder has ended, so
 * it is followed at once, however lately it was heard of. Refuses a name that another living node bears.
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
        `A server named ${name} runs on this database since ${new Date(namesake.started_at).toISOString()}, from another data folder. Give each a name of its own (ONESIXTY_NODE), or wait ${silenceMs / 1000} s if that one was lost with its folder, or ended in the middle of its start.`,
      )
  }
  await tx
    .updateTable('nodes')
    .set({ left_at: now })
    .where('left_at', 'is', null)
    .where((is) => (isAlone ? is.val(true) : is.or([is('epoch', '=', before ?? 0), is('name', '=', name)])))
    .execute()
  const row = { name, started_at: now, beat_at: now, left_at: null, tidies: tidies ? 1 : 0 } as const
  // A start that was cut off behind its commit has left the row of an epoch that it never used, and that the next one takes (epoch.ts).
  await tx
    .insertInto('nodes')
    .values({ epoch, ...row })
    .onConflict((conflict) => conflict.column('epoch').doUpdateSet(row))
    .execute()
}

export interface Beat {
  /** Epochs of the nodes that live, this one among them, the smallest first. */
  alive: readonly number[]
  /** Who tidies up for all: of those that may, the one whose start is the longest ago; null when none may. */
  leader: number | null
  /** Of those that were found silent for too long: from now on they count as dead. */
  silenced: readonly number[]
  /** This one had been taken for dead: what it had open is others' to end. */
  wasSilenced: boolean
  /** When it was said. */
  saidAt: number
  /** How far the database is with what all its nodes did (progress.ts): who knows that much notices when it is put back. */
  progress: number
  /** How many messages are held because the database has forgotten this node's word before: it was put back (P14). Null while it has not. */
  held: number | null
}

/**
 * Says that a node lives, and of those that say nothing any more that they do not. Both are facts for all from the commit on. `saidBefore` is
 * when it said so last, and `known` how far it has seen the database: one that does not know of it, or is not as far, was put back while this node
 * went on, and all that waits is held, as at a start. One that does goes on with what it had, on whatever server: that history is what the next
 * start compares with. Refuses (SecretGivenUpError) a node that was silent for so long that its secrets, of which `marks` are, could be given up
 * meanwhile, and were.
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
  const { progress, isBehind } = await catchUp(tx, known)
  const isForgotten = isBehind || (saidBefore !== null && (self === undefined || self.beat_at < saidBefore))
  const wasSilent = self === undefined || self.left_at !== null || self.beat_at <= now - silenceMs
  const lacks = isForgotten || wasSilent ? await agreeAgain(tx, marks, now) : null
  if (lacks !== null) throw new SecretGivenUpError(lacks)
  const held = isForgotten ? await holdWaiting(tx, now) : null
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

/** The server that has taken over from another writes a history of its own, and an epoch that went back with the database goes on from here. */
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

/** After everything has stopped: nothing of it is open, and whoever waits for its end need not. */
export async function leaveNodes(tx: Tx, clock: Pick<Clock, 'now'>, epoch: number): Promise<void> {
  const now = await databaseTime(tx, clock)
  await tx.updateTable('nodes').set({ left_at: now }).where('epoch', '=', epoch).execute()
}

/**
 * Whether a server of a shared database says that it lives. That of an embedded one says it once, at its start: whether it runs tells the lock of its
 * folder.
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

/** Nodes that were alive a moment ago and are followed by a start that has just begun, or have just stopped. */
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
