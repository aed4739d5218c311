import { type AccountDeps, readAccount } from '../../accounts/core/accounts.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { changeStatePage } from './change-account-state.ts'

/** Who suspends an account when nobody does: the guard against pumping. */
const guardActor = 'guard'

/**
 * Suspends an account whose messages look like pumping: sends are refused, and what waits stays where it is until an operator has looked and
 * reactivates it. The audit log says by which signs, never a whole number; the alerts go by that entry. Says whether it was active.
 */
export async function pauseForPumping(
  tx: Tx,
  deps: AccountDeps,
  { accountId, sign }: { accountId: string; sign: { prefix: string; numbers: number; all: number } },
): Promise<boolean> {
  const { state } = await readAccount(tx, accountId)
  if (state !== 'active') return false
  const suspension = { accountId, state: 'suspended', actor: guardActor } as const
  await changeStatePage(tx, deps, suspension)
  // Behind the suspension itself: the last word on an account says why it stands still.
  const detail = { prefix: `${sign.prefix}***`, numbers: sign.numbers, of: sign.all }
  await appendAudit(tx, deps, { accountId, actor: guardActor, action: 'account.paused_pumping', detail })
  return true
}
