import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { AccountDeps } from '../core/accounts.ts'
import { endEmailLinks } from './email-links.ts'
import { endPasswordLinks } from './one-time-links.ts'
import { listPasskeys } from './passkeys.ts'
import { endChallenges } from './second-factor-codes.ts'

/** A user who signs in, and `users.browser_epoch` before the credentials were checked. */
export interface BegunSignIn {
  userId: string
  epoch: number
}

/**
 * Returns the user who signs in with `email`, with the name in Better Auth; null if there is none, or no
 * password.
 */
export async function findSignIn(db: Db, email: string): Promise<(BegunSignIn & { name: string }) | null> {
  const found = await db
    .selectFrom('users')
    .innerJoin('auth_users', 'auth_users.id', 'users.id')
    .select(['users.id as userId', 'users.browser_epoch as epoch', 'auth_users.email as name'])
    .where('users.email', '=', email)
    .executeTakeFirst()
  return found ?? null
}

/** Returns whether a user can sign in with a password. Without one a set-up link is needed first. */
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
 * Sets the password of a user, from its hash. Closes all sessions except the named one, and revokes open
 * links for another password. Passkeys and second factor stay: a person who knew the old password is signed
 * out, unless they have added a passkey with it. Returns the number of passkeys, so that the user can be
 * notified of them.
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
  // First, because it locks the user.
  await endFormerSignIns(tx, userId)
  // The e-mail address in Better Auth is derived from the ID: users sign in with the one in `users`, which
  // Better Auth would not accept in every form.
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
 * Ends what was started with former credentials: sign-ins that wait for a code, running ones (`keepSession`),
 * and known browsers. Each may belong to a person who knew the former password. Locks the user.
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
 * Returns the epoch of a user; null for an unknown user. From here on, units about the same user wait for
 * each other: PostgreSQL would otherwise run those of two nodes at the same time.
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
 * Decides about a session that a sign-in has started (`token`; null: it waits for a code). Returns false if
 * `endFormerSignIns` ran meanwhile; the session is then closed. Called once the session is stored: any later
 * change closes it like any other session.
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

/** The provider name in Better Auth for e-mail and password. */
const passwordProvider = 'credential'

/** Removes the second factor of a user who has lost it, by order of the operator. */
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
