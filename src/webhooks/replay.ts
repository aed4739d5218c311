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

/** What people ask for: an event to try an endpoint with, and what it was told once more, under the same ids. */

/** Tells one endpoint `webhook.test`, ahead of all that waits for it and whatever its pause; gives the id of the event. Refuses an endpoint that does not exist or is disabled. */
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

/** Tells one event again. Refuses one that this endpoint was never to be told of, or whose record is gone. */
export async function replayEvent(
  tx: Tx,
  deps: AccountDeps,
  { accountId, endpointId, actor, eventId }: NamedEndpoint & { eventId: string },
): Promise<void> {
  await requireEnabled(tx, { accountId, endpointId })
  const again = await openAgain(tx, accountId, endpointId, [eventId])
  if (again === 0)
    throw refuse('not_found', { detail: `There is no delivery of ${eventId} to ${endpointId}.` })
  await endPause(tx, deps, { accountId, endpointId })
  const detail = { endpointId, eventId }
  await appendAudit(tx, deps, { accountId, actor, action: 'webhook.replayed', detail })
}

export interface ReplayRange extends NamedEndpoint {
  /** Inclusive. */
  fromMs: number
  /** Exclusive. */
  untilMs: number
  /** Only what was given up, or is still to be told. */
  onlyFailed: boolean
}

/** Small pieces, so that sending never waits long for one. */
const pageSize = 500
/** More at once would keep an endpoint from what happens now for too long. */
const maxReplayed = 10_000

/**
 * Tells again what happened within a range, oldest first, page by page; gives how many events, at most 10,000, and from when on the rest is then to be
 * told: from the millisecond of the last one, which may have had others. Refuses a range that is empty, and an endpoint that does not exist or is disabled.
 */
export async function replayRange(
  { read, writer, ...deps }: AccountDeps & { read: Db; writer: Writer },
  range: ReplayRange,
): Promise<{ replayed: number; restFromMs: number | null }> {
  const { accountId, endpointId, actor, fromMs, untilMs, onlyFailed } = range
  if (!(fromMs < untilMs))
    throw invalidInput([
      { pointer: '/untilMs', code: 'out_of_range', detail: 'The end must be after the begin.' },
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
    if (ids.length > 0) replayed += await writer.write((tx) => openAgain(tx, accountId, endpointId, ids))
    const last = ids.at(-1)
    if (last === undefined || ids.length < pageSize) return { replayed, restFromMs: null }
    if (replayed >= maxReplayed) return { replayed, restFromMs: timeOfId(last) }
    from = `${last}0`
  }
}

/** Under a new token: what comes of a try that is under way would close what is asked for again. */
async function openAgain(
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
  const detail = `The endpoint ${named.endpointId} is disabled; enable it first.`
  throw invalidInput([{ code: 'out_of_range', detail }])
}
