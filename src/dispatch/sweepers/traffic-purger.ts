import { dayMs } from '../../runtime/clock.ts'
import { minutes5Days } from '../../messages/core/traffic.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { deleteRows, selectEach } from '../../storage/seam/sets.ts'
import type { TrafficGrain } from '../../storage/tables/traffic-tables.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { purgedAtOnce } from './purge-old.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'
import { beforeWallets, readWalletsAfter, type WalletKey } from './wallets-after.ts'

export interface TrafficPurgerDeps extends SweeperDeps {
  read: Db
  writer: Writer
  trafficDays: number
}

const intervalMs = 600_000
const walletsAtOnce = 20

interface Place extends WalletKey {
  grain: TrafficGrain
  bucket: number
}

/** By the primary key of each wallet: an index by age would cost a second write for every count. */
const oldOf = (table: 'traffic' | 'traffic_times', more: string) => ({
  sql: `select account_id, mode, grain, bucket${more} from ${table}
        where account_id = :account and mode = :mode and grain = :grain and bucket < :before order by bucket limit :most`,
  inputs: ['account', 'mode', 'grain', 'before', 'most'],
})
const oldCounts = oldOf('traffic', '')
const oldTimes = oldOf('traffic_times', ', measure, step')

/** Purges old counts of traffic: five-minute ones after days, six-hour ones after more than a year. */
export function createTrafficPurger(deps: TrafficPurgerDeps): Sweeper {
  let after = beforeWallets
  return new Sweeper(deps, {
    name: 'traffic-purger',
    intervalMs,
    async sweep() {
      const wallets = await readWalletsAfter(deps.read, after, walletsAtOnce)
      const isMore = await purgeOf(deps, wallets)
      if (isMore) return true
      const last = wallets.at(-1)
      after = last ?? beforeWallets
      return last !== undefined
    },
  })
}

/** Removes at most a page of each table; returns whether there is more. */
async function purgeOf(
  { read, writer, clock, trafficDays }: TrafficPurgerDeps,
  wallets: readonly WalletKey[],
): Promise<boolean> {
  const nowMs = clock.now()
  const asked = wallets.flatMap(({ account_id, mode }) => [
    [account_id, mode, 'hours6', nowMs - trafficDays * dayMs, purgedAtOnce],
    [account_id, mode, 'minutes5', nowMs - minutes5Days * dayMs, purgedAtOnce],
  ])
  const [counts, times] = await Promise.all([
    selectEach<Place>(read, oldCounts, asked),
    selectEach<Place & { measure: string; step: number }>(read, oldTimes, asked),
  ])
  const page = <T>(rows: readonly T[]): readonly T[] => rows.slice(0, purgedAtOnce)
  const key = ['account_id', 'mode', 'grain', 'bucket'] as const
  if (counts.length > 0) await writer.write((tx) => deleteRows(tx, 'traffic', key, page(counts)))
  if (times.length > 0)
    await writer.write((tx) => deleteRows(tx, 'traffic_times', [...key, 'measure', 'step'], page(times)))
  return counts.length > 0 || times.length > 0
}
