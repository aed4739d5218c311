import { readAccount } from '../../accounts/core/accounts.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Change } from '../core/change-number.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { changeStatePage } from './change-account-state.ts'

/** The actor of suspensions by the SMS pumping guard. */
const guardActor = 'guard'

/**
 * Suspends an account whose messages look like SMS pumping: sends are rejected, and its messages stay queued
 * until an operator has checked and reactivated it. The audit entry records the evidence, never a whole
 * number; alerts are based on that entry. Returns whether the account was active.
 */
export async function pauseForPumping(
  tx: Tx,
  { ids, unit }: { ids: Ids; unit: Change },
  { accountId, sign }: { accountId: string; sign: { prefix: string; numbers: number; all: number } },
): Promise<boolean> {
  const { state } = await readAccount(tx, accountId)
  if (state !== 'active') return false
  const deps = { ids, nowMs: unit.nowMs }
  const suspension = { accountId, state: 'suspended', actor: guardActor } as const
  await changeStatePage(tx, { ids, unit }, suspension)
  // Written after the suspension itself: the last entry of an account explains its state.
  const detail = { prefix: `${sign.prefix}***`, numbers: sign.numbers, of: sign.all }
  await appendAudit(tx, deps, { accountId, actor: guardActor, action: 'account.paused_pumping', detail })
  return true
}
