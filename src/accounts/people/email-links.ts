import { dayMs } from '../../runtime/clock.ts'
import { type Refusal, refuse } from '../../runtime/errors.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { EmailLinkTable } from '../../storage/tables/sign-in-tables.ts'
import type { AccountDeps } from '../core/accounts.ts'
import { hashOfLink, linkFault, mintLinkToken } from './one-time-links.ts'

/**
 * Links that confirm an e-mail address. They differ from one-time links: the user must be signed in, and the
 * link creates no session and sets no password.
 */
export interface EmailLink {
  userId: string
  email: string
  expiresAt: number
}

/**
 * Creates a link for an address, which the caller has checked. Returns its token, which is not stored. A new
 * link replaces the previous one.
 */
export async function issueEmailLink(
  tx: Tx,
  deps: AccountDeps & { randomBytes: (count: number) => Uint8Array },
  { userId, email, lifeMs, actor }: { userId: string; email: string; lifeMs: number; actor: string },
): Promise<EmailLink & { token: string }> {
  const { nowMs } = deps
  await endEmailLinks(tx, userId, nowMs)
  await tx
    .deleteFrom('email_links')
    .where('expires_at', '<', nowMs - keptMs)
    .execute()
  const id = deps.ids('lnk')
  const token = mintLinkToken(deps.randomBytes)
  const expiresAt = nowMs + lifeMs
  const row = {
    id,
    hash: hashOfLink(token),
    user_id: userId,
    email,
    actor,
    created_at: nowMs,
    expires_at: expiresAt,
  }
  await tx.insertInto('email_links').values(row).execute()
  await audit(tx, deps, row, { actor, verb: 'issued' })
  return { userId, email, expiresAt, token }
}

/**
 * Returns the link of a user by its token. Rejects an unknown, used, revoked or expired link, and one of
 * another user.
 */
export async function readEmailLink(
  db: Db | Tx,
  nowMs: number,
  { userId, token }: { userId: string; token: string },
): Promise<EmailLink & { id: string }> {
  const row = await db
    .selectFrom('email_links')
    .selectAll()
    .where('hash', '=', hashOfLink(token))
    .executeTakeFirst()
  const fault = linkFault(row, nowMs)
  if (row === undefined || fault !== null) throw fault ?? foreign()
  if (row.user_id !== userId) throw foreign()
  return { id: row.id, userId, email: row.email, expiresAt: row.expires_at }
}

/** Uses up the link of a user. Rejects as `readEmailLink` does. */
export async function takeEmailLink(
  tx: Tx,
  deps: AccountDeps,
  { userId, token }: { userId: string; token: string },
): Promise<EmailLink> {
  const { id, ...link } = await readEmailLink(tx, deps.nowMs, { userId, token })
  const update = await tx
    .updateTable('email_links')
    .set({ used_at: deps.nowMs })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (update.numUpdatedRows !== 1n) throw refuse('link_not_valid', { detail: 'This link was already used.' })
  await audit(tx, deps, { id, user_id: userId, email: link.email }, { actor: userId, verb: 'used' })
  return link
}

/** Returns the address that a user has yet to confirm; null if no link is open. */
export async function pendingEmail(db: Db | Tx, userId: string, nowMs: number): Promise<string | null> {
  const row = await db
    .selectFrom('email_links')
    .select('email')
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst()
  return row?.email ?? null
}

/** Revokes the open links of a user. After a new password, a change that another person requested is void. */
export async function endEmailLinks(tx: Tx, userId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable('email_links')
    .set({ revoked_at: nowMs })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute()
}

/** As long as other links. */
const keptMs = 30 * dayMs

/** The same text for every owner: a link must not reveal its user. */
const foreign = (): Refusal =>
  refuse('link_not_valid', {
    detail: 'This link is for another user. Sign in as that user and open it again.',
  })

const audit = (
  tx: Tx,
  deps: AccountDeps,
  { id, user_id, email }: Pick<EmailLinkTable, 'id' | 'user_id' | 'email'>,
  { actor, verb }: { actor: string; verb: 'issued' | 'used' },
): Promise<void> =>
  appendAudit(tx, deps, {
    accountId: null,
    actor,
    action: `email_link.${verb}`,
    detail: { linkId: id, userId: user_id, email },
  })
