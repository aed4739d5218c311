import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { AccountDeps } from '../core/accounts.ts'
import { endEmailLinks } from './email-links.ts'
import { endPasswordLinks } from './one-time-links.ts'
import { listPasskeys } from './passkeys.ts'
import { endChallenges } from './second-factor-codes.ts'

/** Who signs in, and `users.browser_epoch` as it was before what they show was checked. */
export interface BegunSignIn {
  userId: string
  epoch: number
}

/** Who signs in with `email`, and what Better Auth knows them by; null when nobody does, or not with a password. */
export async function findSignIn(db: Db, email: string): Promise<(BegunSignIn & { name: string }) | null> {
  const found = await db
    .selectFrom('users')
    .innerJoin('auth_users', 'auth_users.id', 'users.id')
    .select(['users.id as userId', 'users.browser_epoch as epoch', 'auth_users.email as name'])
    .where('users.email', '=', email)
    .executeTakeFirst()
  return found ?? null
}

/** Whether a user can sign in with a password; without one a set-up link is needed first. */
export async function hasPassword(db: Db | Tx, userId: string): Promise<boolean> {
  const found = await db
    .selectFrom('auth_credentials')
    .select('id')
    .where('userId', '=', userId)
    .where('providerId', '=', passwordProvider)
    .where('password', 'is not', null)
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Gives a user a password, of which the hash is stored as the sign-in reads it, and ends all sessions but the one that is named, and what links there are to choose
 * another. Passkeys and second factor stay: whoever knew the old password is out, unless they have added a passkey by it. Gives how many passkeys there are, so
 * that the person can be told.
 */
export async function setPassword(
  tx: Tx,
  { nowMs }: { nowMs: number },
  {
    userId,
    passwordHash,
    keepSessionId = '',
  }: { userId: string; passwordHash: string; keepSessionId?: string },
): Promise<{ passkeys: number }> {
  // First: it locks the user.
  await endFormerSignIns(tx, userId)
  // Its own address for a user is the id: people sign in by what `users` holds, which Better Auth would not take in every form.
  const [name, email] = [userId, `${userId}@users.invalid`]
  const now = new Date(nowMs).toISOString()
  const updated = await tx
    .updateTable('auth_users')
    .set({ updatedAt: now })
    .where('id', '=', userId)
    .executeTakeFirst()
  if (updated.numUpdatedRows === 0n) {
    await tx
      .insertInto('auth_users')
      .values({ id: userId, name, email, emailVerified: 0, createdAt: now, updatedAt: now })
      .execute()
  }
  await tx
    .deleteFrom('auth_credentials')
    .where('userId', '=', userId)
    .where('providerId', '=', passwordProvider)
    .execute()
  await tx
    .insertInto('auth_credentials')
    .values({
      id: userId,
      accountId: userId,
      providerId: passwordProvider,
      userId,
      password: passwordHash,
      createdAt: now,
      updatedAt: now,
    })
    .execute()
  await tx.deleteFrom('auth_sessions').where('userId', '=', userId).where('id', '!=', keepSessionId).execute()
  await endPasswordLinks(tx, userId, nowMs)
  await endEmailLinks(tx, userId, nowMs)
  return { passkeys: (await listPasskeys(tx, userId)).length }
}

/**
 * Ends what was begun by a former way of signing in: sign-ins that wait for a code, those under way (`keepSession`), and that browsers are known. Whoever
 * knew the former password may have been each of them. Locks the user.
 */
export async function endFormerSignIns(tx: Tx, userId: string): Promise<void> {
  await tx
    .updateTable('users')
    .set(({ eb }) => ({ browser_epoch: eb('browser_epoch', '+', 1) }))
    .where('id', '=', userId)
    .execute()
  await endChallenges(tx, userId)
}

/**
 * Gives the epoch of a user, null where there is none. Units about one person wait for each other from here on: PostgreSQL would else run those of two
 * nodes at once.
 */
export async function lockUser(tx: Tx, userId: string): Promise<number | null> {
  const user = await tx
    .updateTable('users')
    .set(({ ref }) => ({ browser_epoch: ref('browser_epoch') }))
    .where('id', '=', userId)
    .returning('browser_epoch')
    .executeTakeFirst()
  return user?.browser_epoch ?? null
}

/**
 * Decides about a session that a sign-in has started (`token`; null: it waits for a code). False when `endFormerSignIns` came between, and then it has
 * ended. Asked once the session is stored: what comes later ends it as any other.
 */
export async function keepSession(
  tx: Tx,
  { userId, epoch, token }: BegunSignIn & { token: string | null },
): Promise<boolean> {
  if ((await lockUser(tx, userId)) === epoch) return true
  if (token !== null) await tx.deleteFrom('auth_sessions').where('token', '=', token).execute()
  await endChallenges(tx, userId)
  return false
}

/** Better Auth's word for e-mail and password. */
const passwordProvider = 'credential'

/** Takes away what is asked for beside the password: for a person who has lost it, on the word of the operator. */
export async function removeSecondFactor(
  tx: Tx,
  deps: AccountDeps,
  { userId, actor }: { userId: string; actor: string },
): Promise<void> {
  await tx.deleteFrom('auth_two_factors').where('userId', '=', userId).execute()
  await tx.updateTable('auth_users').set({ twoFactorEnabled: 0 }).where('id', '=', userId).execute()
  await appendAudit(tx, deps, {
    accountId: null,
    actor,
    action: 'user.second_factor_removed',
    detail: { userId },
  })
}
