import { sql } from 'kysely'
import { accountsWithOwnCarrier } from '../../devices/core/own-carriers.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { isOwnRoute } from '../../storage/tables/own-devices.ts'
import { parseRouteKey } from '../core/route-key.ts'

/*
 * Messages that only own devices may carry (decision 51), of accounts that have none: they wait for the next one
 * until they expire (decision 60). `simulated` are the kinds that send nothing for real: none of them is such a device.
 */

/** Returns which of these rows of the queue are stranded: no device of their account that is enabled may carry them. */
export async function strandedAmong<R extends { route_key: string; account_id: string }>(
  tx: Tx,
  rows: readonly R[],
  simulated: readonly string[],
): Promise<ReadonlySet<R>> {
  const own = rows.filter(({ route_key }) => parseRouteKey(route_key).isOwnOnly === true)
  const able = await accountsWithOwnCarrier(
    tx,
    [...new Set(own.map(({ account_id }) => account_id))],
    simulated,
  )
  return new Set(own.filter(({ account_id }) => !able.has(account_id)))
}

export interface Stranded {
  messages: number
  /** When the last of them expires; null without any. */
  expireBy: number | null
}

/** Counts the stranded messages of an account: queued, scheduled, or delayed by quiet hours. */
export async function readStranded(
  db: Db,
  accountId: string,
  simulated: readonly string[],
): Promise<Stranded> {
  if ((await accountsWithOwnCarrier(db, [accountId], simulated)).has(accountId)) return none
  const { rows } = await sql<{ messages: number; expire_by: number | null }>`
    select count(*) as messages, max(expires_at) as expire_by from (
      select q.expires_at from queue_totals t join queue q on q.route_key = t.route_key and q.account_id = t.account_id
      where t.account_id = ${accountId} and q.claimed_by is null and ${sql.raw(isOwnRoute('t.route_key'))}
      union all
      select expires_at from deferred where account_id = ${accountId} and ${sql.raw(isOwnRoute('route_key'))}) as waiting`.execute(
    db,
  )
  return { messages: rows[0]?.messages ?? 0, expireBy: rows[0]?.expire_by ?? null }
}

const none: Stranded = { messages: 0, expireBy: null }
