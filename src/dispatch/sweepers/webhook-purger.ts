import { dayMs } from '../../runtime/clock.ts'
import { lowestIdAt } from '../../runtime/ids.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { deleteRows } from '../../storage/seam/sets.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { purgedAtOnce } from './purge-old.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

const intervalMs = 60_000
/** Old rows can wait for their turn: a sweep reads this many endpoints, regardless of how many exist. */
const endpointsAtOnce = 200

export interface WebhookPurgerDeps extends SweeperDeps {
  read: Db
  writer: Writer
  logDays: number
}

interface Endpoint {
  account_id: string
  id: string
  state: string
  updated_at: number
}

/**
 * Purges old deliveries to endpoints, and removed endpoints with all that was pending for them: this many
 * endpoints per minute, in turn. Event IDs contain their time.
 */
export function createWebhookPurger(deps: WebhookPurgerDeps, atOnce = endpointsAtOnce): Sweeper {
  const { read, writer, clock, logDays } = deps
  /** The next page begins after this endpoint. */
  let afterId = ''

  async function sweep(): Promise<boolean> {
    const endpoints = await read
      .selectFrom('webhook_endpoints')
      .select(['account_id', 'id', 'state', 'updated_at'])
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(atOnce)
      .execute()
    const beforeMs = clock.now() - logDays * dayMs
    const before = lowestIdAt('evt', beforeMs)
    let more = false
    for (const endpoint of endpoints) {
      const until = endpoint.state === 'removed' ? afterAllEvents : before
      more = (await purgeDeliveries(deps, 'webhook_deliveries', endpoint, until)) || more
      more = (await purgeDeliveries(deps, 'webhook_attempts', endpoint, until)) || more
    }
    for (const accountId of new Set(endpoints.map(({ account_id }) => account_id)))
      more = (await purgeEvents(deps, accountId, before)) || more
    // Its events are as old as it is: none is left of an account without endpoints.
    const removed = endpoints.filter((each) => each.state === 'removed' && each.updated_at < beforeMs)
    if (more) return true
    if (removed.length > 0)
      await writer.write((tx) => deleteRows(tx, 'webhook_endpoints', ['account_id', 'id'], removed))
    afterId = endpoints.length === atOnce ? (endpoints.at(-1) as Endpoint).id : ''
    return false
  }

  return new Sweeper(deps, { name: 'webhook-purger', intervalMs, sweep })
}

/** IDs end with letters. */
const afterAllEvents = 'evt_~'

async function purgeDeliveries(
  { read, writer }: WebhookPurgerDeps,
  table: 'webhook_deliveries' | 'webhook_attempts',
  { account_id, id }: Endpoint,
  before: string,
): Promise<boolean> {
  const key = ['account_id', 'endpoint_id', 'event_id'] as const
  const rows = await read
    .selectFrom(table)
    .select(key)
    .distinct()
    .where('account_id', '=', account_id)
    .where('endpoint_id', '=', id)
    .where('event_id', '<', before)
    .orderBy('event_id')
    .limit(purgedAtOnce)
    .execute()
  if (rows.length > 0) await writer.write((tx) => deleteRows(tx, table, key, rows))
  return rows.length === purgedAtOnce
}

async function purgeEvents(
  { read, writer }: WebhookPurgerDeps,
  accountId: string,
  before: string,
): Promise<boolean> {
  const key = ['account_id', 'id'] as const
  const rows = await read
    .selectFrom('webhook_events')
    .select(key)
    .where('account_id', '=', accountId)
    .where('id', '<', before)
    .orderBy('id')
    .limit(purgedAtOnce)
    .execute()
  if (rows.length > 0) await writer.write((tx) => deleteRows(tx, 'webhook_events', key, rows))
  return rows.length === purgedAtOnce
}
