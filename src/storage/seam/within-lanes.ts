import type { Db, SelectEach, Tx, Value } from './dialect.ts'
import { lanesHeld } from './lanes.ts'

/**
 * Tables whose rows name no account, and of which a unit with lanes changes only rows that are its own: a key belongs to
 * one account, a number to a lane, and a count of progress to a node, which runs one transaction at a time.
 */
const withoutAccount: ReadonlySet<string> = new Set(['api_key_usage', 'change_lanes', 'node_progress'])

/**
 * Rejects with `NeedsAllError` rows that a unit with lanes must not change: of accounts whose lanes it does not hold, and
 * without an account. `key`, if the rows are found by it, must name the account too.
 */
export function refuseOtherRows(
  tx: Tx,
  table: string,
  rows: readonly object[],
  key: readonly string[] | null = null,
): void {
  const held = lanesHeld(tx)
  if (held === null || withoutAccount.has(table)) return
  if (key !== null && !key.includes('account_id')) held.leave()
  for (const row of rows) if (!held.holdsAccount((row as { account_id?: unknown }).account_id)) held.leave()
}

/**
 * Rejects with `NeedsAllError` a read that a unit with lanes must not make: by an account whose lane it does not hold, or by no
 * account, unless the statement says why it may (`SelectEach.lanes`).
 */
export function refuseOtherReads(
  db: Db | Tx,
  { inputs, lanes }: SelectEach,
  sets: readonly (readonly Value[])[],
): void {
  const held = lanesHeld(db)
  if (held === null || lanes !== undefined) return
  const place = inputs.indexOf('account')
  if (place < 0) held.leave()
  for (const values of sets) if (!held.holdsAccount(values[place])) held.leave()
}
