import { refuse } from '../../runtime/errors.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { AccountDeps } from '../core/accounts.ts'
import { revokeInvitationsBy } from './one-time-links.ts'

/** The people of an account. Owners decide about keys, money and people; an account always has one. */
export type Role = 'owner' | 'member'

export interface Member {
  userId: string
  name: string
  email: string
  role: Role
}

/** The people of an account, owners first, at most `limit`. */
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

/** Lets a user into an account. Who is in it already becomes an owner by an owner's invitation, and never less. */
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

/** Makes an owner a member, whose invitations end, or the reverse. Refuses to leave the account without an owner, and who is not in it. */
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

/** Takes a user out of an account, with the invitations that they made; the user stays, for other accounts. Refuses the last owner, and who is not in it. */
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
  // Locks the account, so that of two owners who go at the same time the second one sees that the first has gone.
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
        detail: 'This is the only owner of the account. Make somebody else an owner first.',
      },
    ])
  }
}

const noSuchMember = (userId: string) =>
  refuse('not_found', { detail: `${userId} is no member of this account.` })
