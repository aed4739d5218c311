import type { Claimed } from '../../messages/queue/claim-messages.ts'
import { holds, readNamedOptOuts } from '../../messages/queue/stored-opt-outs.ts'
import { everySpelling, presentSpelling } from '../../numbers/number-changes.ts'
import type { Tx } from '../../storage/seam/dialect.ts'

/** Returns which of the claims that phones are to cancel are for numbers that have opted out. */
export async function findStopped(
  tx: Tx,
  claims: readonly Claimed[],
  { nowMs }: { nowMs: number },
): Promise<ReadonlySet<string>> {
  const named = claims.flatMap(({ accountId, mode, to }) =>
    everySpelling(to).map((recipient) => ({ account_id: accountId, mode, recipient })),
  )
  const rows = (await readNamedOptOuts(tx, named)).filter((row) => holds(row, nowMs))
  const nameOf = (accountId: string, mode: string, number: string): string =>
    `${accountId}/${mode}/${presentSpelling(number)}`
  const stopped = new Set(rows.map((row) => nameOf(row.account_id, row.mode, row.recipient)))
  const toStopped = claims.filter(({ accountId, mode, to }) => stopped.has(nameOf(accountId, mode, to)))
  return new Set(toStopped.map(({ attemptId }) => attemptId))
}
