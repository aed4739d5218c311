import type { AccountDeps } from '../accounts/core/accounts.ts'
import { rfc3339 } from '../runtime/clock.ts'
import { refuse } from '../runtime/errors.ts'
import { lowestIdAt, timeOfId } from '../runtime/ids.ts'
import { invalidInput } from '../runtime/invalid-input.ts'
import { recordEventFor } from '../messages/core/events.ts'
import { appendAudit } from '../storage/seam/audit-log.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import type { Mode } from '../storage/tables/schema.ts'
import type { Writer } from '../storage/seam/writer.ts'
import { endPause, type NamedEndpoint, requireEndpoint } from './endpoint-store.ts'

/** Requests of users: a test event for an endpoint, and resends of events with the same IDs. */

/**
 * Sends `webhook.test` to one endpoint before all waiting deliveries, even while it is paused. Returns the
 * event ID. Refuses an endpoint that does not exist or is disabled.
 */
export async function sendTestEvent(
  tx: Tx,
  { nowMs }: Pick<AccountDeps, 'nowMs'>,
  { accountId, endpointId }: Omit<NamedEndpoint, 'actor'>,
): Promise<string> {
  const { mode } = await requireEnabled(tx, { accountId, endpointId })
  await endPause(tx, { nowMs }, { accountId, endpointId })
  return recordEventFor(tx, endpointId, {
    type: 'webhook.test',
    accountId,
    mode: mode ?? 'test',
    atMs: nowMs,
    subject: endpointId,
    facts: { webhook: { id: endpointId } },
  })
}

/** Resends one event. Refuses an event that was never meant for this endpoint, or whose record was purged. */
export async function replayEvent(
  tx: Tx,
  deps: AccountDeps,
  { accountId, endpointId, actor, eventId }: NamedEndpoint & { eventId: string },
): Promise<void> {
  await requireEnabled(tx, { accountId, endpointId })
  const reopened = await reopen(tx, accountId, endpointId, [eventId])
  if (reopened === 0) throw refuse('not_found', { detail: `No delivery of ${eventId} to ${endpointId}.` })
  await endPause(tx, deps, { accountId, endpointId })
  const detail = { endpointId, eventId }
  await appendAudit(tx, deps, { accountId, actor, action: 'webhook.replayed', detail })
}

export interface ReplayRange extends NamedEndpoint {
  /** Inclusive. */
  fromMs: number
  /** Exclusive. */
  untilMs: number
  /** Only deliveries that failed permanently or are still waiting. */
  onlyFailed: boolean
}

/** Small transactions, so that sending never waits long for one. */
const pageSize = 500
/** More would delay current events of the endpoint for too long. */
const maxReplayed = 10_000

/**
 * Resends the events in a range, oldest first, page by page, at most 10,000. Returns their number, and where
 * to continue: at the millisecond of the last one, because that may have more events. Refuses an empty range,
 * and an endpoint that does not exist or is disabled.
 */
export async function replayRange(
  { read, writer, ...deps }: AccountDeps & { read: Db; writer: Writer },
  range: ReplayRange,
): Promise<{ replayed: number; restFromMs: number | null }> {
  const { accountId, endpointId, actor, fromMs, untilMs, onlyFailed } = range
  if (!(fromMs < untilMs))
    throw invalidInput([
      { pointer: '/untilMs', code: 'out_of_range', detail: 'The end must be after the start.' },
    ])
  await writer.write(async (tx) => {
    await requireEnabled(tx, range)
    await endPause(tx, deps, range)
    const detail = { endpointId, from: rfc3339(fromMs), until: rfc3339(untilMs), onlyFailed }
    await appendAudit(tx, deps, { accountId, actor, action: 'webhook.replayed', detail })
  })
  let replayed = 0
  for (let from = lowestIdAt('evt', fromMs); ;) {
    let query = read
      .selectFrom('webhook_deliveries')
      .select('event_id')
      .where('account_id', '=', accountId)
      .where('endpoint_id', '=', endpointId)
      .where('event_id', '>=', from)
      .where('event_id', '<', lowestIdAt('evt', untilMs))
    if (onlyFailed)
      query = query.where(({ eb, or }) => or([eb('outcome', 'is', null), eb('outcome', '!=', 'delivered')]))
    const rows = await query.orderBy('event_id').limit(pageSize).execute()
    const ids = rows.map((row) => row.event_id)
    if (ids.length > 0) replayed += await writer.write((tx) => reopen(tx, accountId, endpointId, ids))
    const last = ids.at(-1)
    if (last === undefined || ids.length < pageSize) return { replayed, restFromMs: null }
    if (replayed >= maxReplayed) return { replayed, restFromMs: timeOfId(last) }
    from = `${last}0`
  }
}

/**
 * Reopens deliveries with a new token: the result of an attempt in flight would otherwise close them again.
 */
async function reopen(
  tx: Tx,
  accountId: string,
  endpointId: string,
  eventIds: readonly string[],
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_deliveries')
    .set(({ eb }) => ({ due_at: 0, failures: 0, outcome: null, closed_at: null, token: eb('token', '+', 1) }))
    .where('account_id', '=', accountId)
    .where('endpoint_id', '=', endpointId)
    .where('event_id', 'in', eventIds)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

async function requireEnabled(
  tx: Tx,
  named: { accountId: string; endpointId: string },
): Promise<{ mode: Mode | null }> {
  const { state, mode } = await requireEndpoint(tx, named)
  if (state === 'enabled') return { mode }
  const detail = `Webhook endpoint ${named.endpointId} is disabled. Enable it first.`
  throw invalidInput([{ code: 'out_of_range', detail }])
}
