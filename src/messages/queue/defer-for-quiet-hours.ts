import type { Tx } from '../../storage/seam/dialect.ts'
import type { Category } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { defer } from './deferred.ts'
import { dequeue } from './dequeue.ts'
import type { MessageState } from '../core/message-store.ts'
import type { QueuePosition } from './queue-position.ts'
import { type QuietHours, quietUntil } from './quiet-until.ts'

type QueuedRow = Pick<MessageState, 'account_id' | 'mode' | 'id' | 'category' | 'parts' | 'expires_at'> &
  QueuePosition & { country: string | null }

/** Authentication codes are requested by their recipient, and useless in the morning. */
const neverWaits: Category = 'authentication'

const hoursOfAccount = {
  sql: 'select id, quiet_from, quiet_until from accounts where id = :account and quiet_from is not null',
  inputs: ['account'],
} as const

/**
 * Removes messages that would disturb their recipients from the queue until their quiet hours end, and
 * returns the others. A delayed message stays `queued` and keeps its hold; its validity continues and can
 * expire first.
 *
 * `hoursOf` may return hours that the account has just removed. A message that was delayed for them would not
 * be woken. So the stored hours decide, and are read only when a message would be delayed.
 */
export async function deferForQuietHours<R extends QueuedRow>(
  tx: Tx,
  rows: readonly R[],
  { hoursOf, nowMs }: { hoursOf: (row: R) => QuietHours | undefined; nowMs: number },
): Promise<readonly R[]> {
  const remembered = [...endsOf(rows, { hoursOf, nowMs }).keys()]
  if (remembered.length === 0) return rows
  const stored = await readHours(tx, remembered)
  const quiet = endsOf(remembered, { hoursOf: (row) => stored.get(row.account_id), nowMs })
  if (quiet.size === 0) return rows
  const waiting = [...quiet]
  await dequeue(
    tx,
    waiting.map(([row]) => ({ ...row, message_id: row.id })),
  )
  await defer(
    tx,
    waiting.map(([row, untilMs]) => ({
      account_id: row.account_id,
      mode: row.mode,
      message_id: row.id,
      reason: 'quiet_hours',
      wake_at: Math.min(untilMs, row.expires_at as number),
      route_key: row.route_key,
      priority: row.priority,
      parts: row.parts,
      expires_at: row.expires_at as number,
      refusals: row.refusals,
    })),
  )
  return rows.filter((row) => !quiet.has(row))
}

/** Returns the messages that must not be sent now, and until when. */
function endsOf<R extends QueuedRow>(
  rows: readonly R[],
  { hoursOf, nowMs }: { hoursOf: (row: R) => QuietHours | undefined; nowMs: number },
): Map<R, number> {
  const quiet = new Map<R, number>()
  for (const row of rows) {
    const hours = row.category === neverWaits ? undefined : hoursOf(row)
    const untilMs = hours === undefined ? null : quietUntil(row.country, nowMs, hours)
    if (untilMs !== null) quiet.set(row, untilMs)
  }
  return quiet
}

async function readHours(tx: Tx, rows: readonly QueuedRow[]): Promise<Map<string, QuietHours>> {
  const accounts = new Set(rows.map((row) => row.account_id))
  const found = await selectEach<{ id: string; quiet_from: number; quiet_until: number }>(
    tx,
    hoursOfAccount,
    [...accounts].map((id) => [id]),
  )
  return new Map(found.map((row) => [row.id, { from: row.quiet_from, until: row.quiet_until }]))
}

/** Re-evaluates messages that are delayed by quiet hours, because the hours of their account changed. */
export async function rescheduleQuietHours(tx: Tx, accountId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable('deferred')
    .set({ wake_at: nowMs })
    .where('account_id', '=', accountId)
    .where('reason', '=', 'quiet_hours')
    .where('wake_at', '>', nowMs)
    .execute()
}
