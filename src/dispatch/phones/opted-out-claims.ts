import type { Claimed } from '../../messages/queue/claim-messages.ts'
import { isInForce, readNamedOptOuts } from '../../messages/core/read-opt-outs.ts'
import { everySpelling, presentSpelling } from '../../numbers/number-changes.ts'
import type { Tx } from '../../storage/seam/dialect.ts'

/** Returns which of the claims that phones are to cancel are for numbers that have opted out. */
export async function findOptedOut(
  tx: Tx,
  claims: readonly Claimed[],
  { nowMs }: { nowMs: number },
): Promise<ReadonlySet<string>> {
  const named = claims.flatMap(({ accountId, mode, to }) =>
    everySpelling(to).map((recipient) => ({ account_id: accountId, mode, recipient })),
  )
  const rows = (await readNamedOptOuts(tx, named)).filter((row) => isInForce(row, nowMs))
  const keyOf = (accountId: string, mode: string, number: string): string =>
    `${accountId}/${mode}/${presentSpelling(number)}`
  const optedOut = new Set(rows.map((row) => keyOf(row.account_id, row.mode, row.recipient)))
  const toOptedOut = claims.filter(({ accountId, mode, to }) => optedOut.has(keyOf(accountId, mode, to)))
  return new Set(toOptedOut.map(({ attemptId }) => attemptId))
}
