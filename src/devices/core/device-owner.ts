import { refuse } from '../../runtime/errors.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import type { Tx } from '../../storage/seam/dialect.ts'

/** Rejects an unknown owner, or one whose account is closed; null is the operator. */
export async function requireOpenOwner(tx: Tx, accountId: string | null): Promise<void> {
  if (accountId === null) return
  const account = await tx
    .selectFrom('accounts')
    .select('state')
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (account === undefined) throw refuse('not_found', { detail: `Unknown account ${accountId}.` })
  if (account.state === 'closed')
    throw invalidInput([{ code: 'out_of_range', detail: `Account ${accountId} is closed.` }])
}
