import type { Db } from '../../storage/seam/dialect.ts'
import { type CanaryRow, type CanaryRun, maxRuns } from './canary-runs.ts'

/** A canary as people see it. */
export interface CanaryView {
  id: string
  accountId: string | null
  fromDevice: string
  toDevice: string
  recipient: string
  sender: string | null
  sim: number | null
  everyMs: number
  nextAt: number
  lostInRow: number
  /** The latest run; null before the first one. */
  last: { begunAt: number; state: CanaryRun['state']; reason: string | null; seconds: number | null } | null
  /** Runs that have ended, of the last 100, and how many of them were lost. */
  runs: number
  lost: number
  /** The median of the time to the handset; null if none arrived. */
  medianSeconds: number | null
}

/** Reads canaries: of one owner, of devices that send, one by its ID, or all; with one more statement if there are any. */
export async function readCanaries(
  db: Db,
  which: { accountId: string | null } | { fromDevices: readonly string[] } | { id: string } | 'all',
): Promise<CanaryView[]> {
  if (which !== 'all' && 'fromDevices' in which && which.fromDevices.length === 0) return []
  let query = db.selectFrom('canaries').selectAll().orderBy('id')
  if (which !== 'all' && 'accountId' in which)
    query = query.where('account_id', which.accountId === null ? 'is' : '=', which.accountId) // prettier-ignore
  else if (which !== 'all' && 'fromDevices' in which)
    query = query.where('from_device', 'in', which.fromDevices)
  else if (which !== 'all') query = query.where('id', '=', which.id)
  const canaries = await query.execute()
  if (canaries.length === 0) return []
  const runs = await db
    .selectFrom('canary_runs')
    .select(['canary_id', 'begun_at', 'ended_at', 'state', 'reason'])
    .where(
      'canary_id',
      'in',
      canaries.map(({ id }) => id),
    )
    .orderBy('begun_at', 'desc')
    .limit(maxRuns * canaries.length)
    .execute()
  const byCanary = Map.groupBy(runs, (run) => run.canary_id)
  return canaries.map((canary) => viewOf(canary, byCanary.get(canary.id) ?? []))
}

type SeenRun = Pick<CanaryRun, 'begun_at' | 'ended_at' | 'state' | 'reason'>

const secondsOf = ({ begun_at, ended_at, state }: SeenRun): number | null =>
  state === 'arrived' && ended_at !== null ? (ended_at - begun_at) / 1_000 : null

/** `runs`: the newest first. */
function viewOf(canary: CanaryRow, runs: readonly SeenRun[]): CanaryView {
  const ended = runs.filter(({ state }) => state !== 'open')
  const times = ended.flatMap((run) => secondsOf(run) ?? []).toSorted((a, b) => a - b)
  const [last] = runs
  return {
    id: canary.id,
    accountId: canary.account_id,
    fromDevice: canary.from_device,
    toDevice: canary.to_device,
    recipient: canary.recipient,
    sender: canary.sender,
    sim: canary.sim,
    everyMs: canary.every_ms,
    nextAt: canary.next_at,
    lostInRow: canary.lost_in_row,
    last:
      last === undefined
        ? null
        : {
            begunAt: last.begun_at,
            state: last.state,
            reason: last.state === 'open' ? null : last.reason,
            seconds: secondsOf(last),
          },
    runs: ended.length,
    lost: ended.filter(({ state }) => state === 'lost').length,
    medianSeconds: times[Math.floor(times.length / 2)] ?? null,
  }
}
