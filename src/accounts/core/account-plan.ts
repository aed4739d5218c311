import { invalidInput } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import { accountPlanPattern } from '../../storage/tables/column-values.ts'
import { type AccountDeps, readAccount } from './accounts.ts'

/** How rules write accounts without a plan. */
const noPlan = 'none'

const planForm = new RegExp(accountPlanPattern)

/** What a plan can be, for errors and help. */
const accountPlanRule =
  'A plan is a word of up to 32 lower-case letters, digits, - and _, such as pro; none is not allowed.'

/**
 * Sets the plan of an account, by which rules of routes match; null: none. Applies to sends from now on. Rejects an unknown
 * account, a change of a closed one, and what is no such word.
 */
export async function setAccountPlan(
  tx: Tx,
  deps: AccountDeps,
  { accountId, plan, actor }: { accountId: string; plan: string | null; actor: string },
): Promise<void> {
  if (plan !== null && (plan === noPlan || !planForm.test(plan)))
    throw invalidInput([{ pointer: '/plan', code: 'invalid_format', detail: accountPlanRule }])
  const { plan: before, state } = await readAccount(tx, accountId)
  if (before === plan) return
  if (state === 'closed')
    throw invalidInput([{ code: 'out_of_range', detail: `Account ${accountId} is closed.` }])
  await tx.updateTable('accounts').set({ plan, updated_at: deps.nowMs }).where('id', '=', accountId).execute()
  await appendAudit(tx, deps, { accountId, actor, action: 'account.plan', detail: { from: before, plan } })
  await touchDirectory(tx)
}

/** Returns the plans of all accounts that have one, by the ID of the account. */
export async function readAccountPlans(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('accounts').select(['id', 'plan']).where('plan', 'is not', null).execute()
  return new Map(rows.flatMap(({ id, plan }) => (plan === null ? [] : [[id, plan]])))
}

/** Returns which of these plans no account has; the empty one, of accounts without a plan, is never among them. */
export async function unusedPlans(db: Db, plans: readonly string[]): Promise<string[]> {
  const had = new Set((await readAccountPlans(db)).values())
  return plans.filter((plan) => plan !== '' && !had.has(plan))
}
