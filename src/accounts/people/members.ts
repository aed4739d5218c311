import { refuse } from '../../runtime/errors.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { AccountDeps } from '../core/accounts.ts'
import { revokeInvitationsBy } from './one-time-links.ts'

/** Role in an account. Owners decide about keys, credit and members; an account always has one. */
export type Role = 'owner' | 'member'

export interface Member {
  userId: string
  name: string
  email: string
  role: Role
}

/** Returns the members of an account, owners first, at most `limit`. */
export async function listMembers(
  db: Db,
  { accountId, limit }: { accountId: string; limit: number },
): Promise<Member[]> {
  return db
    .selectFrom('account_users')
    .innerJoin('users', 'users.id', 'account_users.user_id')
    .select(['users.id as userId', 'users.name', 'users.email', 'account_users.role'])
    .where('account_users.account_id', '=', accountId)
    .orderBy('account_users.role', 'desc')
    .orderBy('users.id')
    .limit(limit)
    .execute()
}

/**
 * Adds a user to an account. An existing member becomes an owner by an owner's invitation; a role is never
 * lowered.
 */
export async function addMember(
  tx: Tx,
  deps: AccountDeps,
  change: { accountId: string; userId: string; role: Role; actor: string },
): Promise<void> {
  const { accountId, userId, role, actor } = change
  const known = await roleOf(tx, accountId, userId)
  if (known === role || known === 'owner') return
  if (known === null) {
    await tx.insertInto('account_users').values({ account_id: accountId, user_id: userId, role }).execute()
  } else await writeRole(tx, change)
  await appendAudit(tx, deps, { accountId, actor, action: 'member.added', detail: { userId, role } })
}

/**
 * Changes the role of a member. Invitations of an owner who becomes a member are revoked. Rejects the last
 * owner, and a user who is no member.
 */
export async function changeRole(
  tx: Tx,
  deps: AccountDeps,
  change: { accountId: string; userId: string; role: Role; actor: string },
): Promise<void> {
  const { accountId, userId, role, actor } = change
  const known = await roleOf(tx, accountId, userId)
  if (known === null) throw noSuchMember(userId)
  if (known === role) return
  if (role === 'member') await refuseLastOwner(tx, accountId, userId)
  await writeRole(tx, change)
  if (role === 'member') await revokeInvitationsBy(tx, deps, change)
  await appendAudit(tx, deps, { accountId, actor, action: 'member.role_changed', detail: { userId, role } })
}

/**
 * Removes a member from an account, and revokes their invitations; the user stays, for other accounts.
 * Rejects the last owner, and a user who is no member.
 */
export async function removeMember(
  tx: Tx,
  deps: AccountDeps,
  change: { accountId: string; userId: string; actor: string },
): Promise<void> {
  const { accountId, userId, actor } = change
  if ((await roleOf(tx, accountId, userId)) === null) throw noSuchMember(userId)
  await refuseLastOwner(tx, accountId, userId)
  await tx
    .deleteFrom('account_users')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute()
  await revokeInvitationsBy(tx, deps, change)
  await appendAudit(tx, deps, { accountId, actor, action: 'member.removed', detail: { userId } })
}

async function roleOf(tx: Tx, accountId: string, userId: string): Promise<Role | null> {
  const row = await tx
    .selectFrom('account_users')
    .select('role')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.role ?? null
}

const writeRole = async (
  tx: Tx,
  { accountId, userId, role }: { accountId: string; userId: string; role: Role },
): Promise<void> => {
  await tx
    .updateTable('account_users')
    .set({ role })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute()
}

async function refuseLastOwner(tx: Tx, accountId: string, userId: string): Promise<void> {
  // Locks the account: if two owners leave at the same time, the second one sees that the first has left.
  await tx.updateTable('accounts').set({ id: accountId }).where('id', '=', accountId).execute()
  const owners = await tx
    .selectFrom('account_users')
    .select('user_id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .limit(2)
    .execute()
  if (owners.length === 1 && owners[0]?.user_id === userId) {
    throw invalidInput([
      {
        pointer: '/userId',
        code: 'out_of_range',
        detail: 'This is the only owner of the account. Make another member an owner first.',
      },
    ])
  }
}

const noSuchMember = (userId: string) =>
  refuse('not_found', { detail: `${userId} is not a member of this account.` })
