import { createHash } from 'node:crypto'
import { dayMs } from '../../runtime/clock.ts'
import { type Refusal, refuse } from '../../runtime/errors.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { OneTimeLinkTable } from '../../storage/tables/sign-in-tables.ts'
import { type AccountDeps, emailFaults } from '../core/accounts.ts'

/**
 * Links for one sign-in: to choose the first password (set-up), to reset a lost one (reset), or to join an
 * account (invitation). Only the SHA-256 of the token is stored. A link expires at a stated time and works
 * once; every step is audited.
 */
export interface OneTimeLink {
  id: string
  purpose: OneTimeLinkTable['purpose']
  email: string
  /** The user whose password it sets; null for an invitation. */
  userId: string | null
  /** The account of an invitation; null if it creates a new account. */
  accountId: string | null
  role: 'owner' | 'member' | null
  createdAt: number
  expiresAt: number
}

export type NewOneTimeLink = { actor: string; lifeMs: number } & (
  | { purpose: 'set-up' | 'reset'; userId: string; keepsEarlier?: true }
  | { purpose: 'invitation'; email: string; accountId: string | null; role: 'owner' | 'member' | null }
)

/**
 * Creates a link and returns its token, which is not stored. A new link for a password, or for the same
 * invitation, revokes the previous ones, unless it `keepsEarlier`: then they are revoked when one of them
 * sets a password. Rejects an unknown user and an address that browsers reject.
 */
export async function issueLink(
  tx: Tx,
  deps: AccountDeps & { randomBytes: (count: number) => Uint8Array },
  wanted: NewOneTimeLink,
): Promise<{ link: OneTimeLink; token: string }> {
  const { nowMs } = deps
  const link: OneTimeLink = {
    id: deps.ids('lnk'),
    purpose: wanted.purpose,
    ...(await holderOf(tx, wanted)),
    createdAt: nowMs,
    expiresAt: nowMs + wanted.lifeMs,
  }
  if (wanted.purpose === 'invitation' || wanted.keepsEarlier !== true) await endEarlier(tx, link)
  await purgeOld(tx, nowMs)
  const token = mintLinkToken(deps.randomBytes)
  await tx
    .insertInto('one_time_links')
    .values({
      id: link.id,
      hash: hashOfLink(token),
      purpose: link.purpose,
      email: link.email,
      user_id: link.userId,
      account_id: link.accountId,
      role: link.role,
      actor: wanted.actor,
      created_at: nowMs,
      expires_at: link.expiresAt,
    })
    .execute()
  await audit(tx, deps, link, wanted.actor, 'issued')
  return { link, token }
}

/** Returns the link of a token. Rejects an unknown, used, revoked or expired one, and states which. */
export async function readLink(db: Db | Tx, nowMs: number, token: string): Promise<OneTimeLink> {
  const row = await db
    .selectFrom('one_time_links')
    .selectAll()
    .where('hash', '=', hashOfLink(token))
    .executeTakeFirst()
  const fault = linkFault(row, nowMs)
  if (row === undefined || fault !== null) throw fault ?? notValid()
  return linkOf(row)
}

/** Uses up a link in this transaction. Rejects as `readLink` does; of two concurrent uses one is rejected. */
export async function takeLink(
  tx: Tx,
  deps: AccountDeps,
  { token, actor }: { token: string; actor?: string },
): Promise<OneTimeLink> {
  const link = await readLink(tx, deps.nowMs, token)
  const update = await tx
    .updateTable('one_time_links')
    .set({ used_at: deps.nowMs })
    .where('id', '=', link.id)
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (update.numUpdatedRows !== 1n) throw refuse('link_not_valid', { detail: 'This link was already used.' })
  await audit(tx, deps, link, actor ?? link.userId ?? link.email, 'used')
  return link
}

/**
 * Revokes an invitation; returns false if it was no longer open. Rejects one of another account (null: of
 * none).
 */
export async function revokeInvitation(
  tx: Tx,
  deps: AccountDeps,
  change: { linkId: string; accountId: string | null; actor: string },
): Promise<boolean> {
  const row = await tx
    .selectFrom('one_time_links')
    .selectAll()
    .where('id', '=', change.linkId)
    .where('purpose', '=', 'invitation')
    .where('account_id', change.accountId === null ? 'is' : '=', change.accountId)
    .executeTakeFirst()
  if (row === undefined)
    throw refuse('not_found', { detail: `Unknown invitation ${change.linkId} to this account.` })
  if (linkFault(row, deps.nowMs) !== null) return false
  await tx
    .updateTable('one_time_links')
    .set({ revoked_at: deps.nowMs })
    .where('id', '=', change.linkId)
    .execute()
  await audit(tx, deps, linkOf(row), change.actor, 'revoked')
  return true
}

/**
 * Revokes the invitations that a user has made to an account. Otherwise a former owner could return by one,
 * or add other members.
 */
export async function revokeInvitationsBy(
  tx: Tx,
  deps: AccountDeps,
  { accountId, userId, actor }: { accountId: string; userId: string; actor: string },
): Promise<void> {
  const rows = await openInvitations(tx, accountId, deps.nowMs).where('actor', '=', userId).execute()
  for (const { id } of rows) await revokeInvitation(tx, deps, { linkId: id, accountId, actor })
}

/** Revokes the links with which a user could choose a password, after a new password was set. */
export const endPasswordLinks = async (tx: Tx, userId: string, nowMs: number): Promise<void> => {
  await endOpen(tx, nowMs).where('user_id', '=', userId).execute()
}

/** Returns open invitations, newest first: to an account, or (null) those that create a new account. */
export async function listInvitations(
  db: Db,
  { accountId, nowMs, limit }: { accountId: string | null; nowMs: number; limit: number },
): Promise<OneTimeLink[]> {
  const rows = await openInvitations(db, accountId, nowMs).orderBy('id', 'desc').limit(limit).execute()
  return rows.map(linkOf)
}

const openInvitations = (db: Db | Tx, accountId: string | null, nowMs: number) =>
  db
    .selectFrom('one_time_links')
    .selectAll()
    .where('account_id', accountId === null ? 'is' : '=', accountId)
    .where('purpose', '=', 'invitation')
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', nowMs)

/** 256 bits: a token cannot be guessed, so that attempts need not be counted. */
const tokenBytes = 32
export const mintLinkToken = (randomBytes: (count: number) => Uint8Array): string =>
  Buffer.from(randomBytes(tokenBytes)).toString('base64url')
export const hashOfLink = (token: string): string => createHash('sha256').update(token).digest('hex')

async function holderOf(
  tx: Tx,
  wanted: NewOneTimeLink,
): Promise<Pick<OneTimeLink, 'email' | 'userId' | 'accountId' | 'role'>> {
  if (wanted.purpose === 'invitation') {
    const email = wanted.email.trim().toLowerCase()
    const faults = emailFaults(email)
    if (faults.length > 0) throw invalidInput(faults)
    return { email, userId: null, accountId: wanted.accountId, role: wanted.role }
  }
  const user = await tx.selectFrom('users').select('email').where('id', '=', wanted.userId).executeTakeFirst()
  if (user === undefined) throw refuse('not_found', { detail: `There is no user ${wanted.userId}.` })
  return { email: user.email, userId: wanted.userId, accountId: null, role: null }
}

const endEarlier = async (tx: Tx, { userId, email, accountId, createdAt }: OneTimeLink): Promise<void> => {
  if (userId !== null) return endPasswordLinks(tx, userId, createdAt)
  await endOpen(tx, createdAt)
    .where('account_id', accountId === null ? 'is' : '=', accountId)
    .where('purpose', '=', 'invitation')
    .where('email', '=', email)
    .execute()
}

const endOpen = (tx: Tx, nowMs: number) =>
  tx
    .updateTable('one_time_links')
    .set({ revoked_at: nowMs })
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)

/**
 * A link that expired a month ago adds nothing to the audit log. Each new link purges some of them, so that
 * the table stays small.
 */
const keptMs = 30 * dayMs
const maxPurged = 100

const purgeOld = async (tx: Tx, nowMs: number): Promise<void> => {
  const old = tx
    .selectFrom('one_time_links')
    .select('id')
    .where('expires_at', '<', nowMs - keptMs)
    .orderBy('expires_at')
    .limit(maxPurged)
  await tx.deleteFrom('one_time_links').where('id', 'in', old).execute()
}

/** Returns why a link does not work; null if it works. */
export function linkFault(
  row: Pick<OneTimeLinkTable, 'used_at' | 'revoked_at' | 'expires_at'> | undefined,
  nowMs: number,
): Refusal | null {
  if (row === undefined) return notValid()
  if (row.used_at !== null)
    return refuse('link_not_valid', { detail: 'This link was already used. It works only once.' })
  if (row.revoked_at !== null)
    return refuse('link_not_valid', { detail: 'This link was replaced by a newer one, or revoked.' })
  return row.expires_at <= nowMs ? refuse('link_not_valid', { detail: 'This link has expired.' }) : null
}

const notValid = (): Refusal =>
  refuse('link_not_valid', { detail: 'Unknown link. Check that the whole link was copied.' })

const linkOf = (row: OneTimeLinkTable): OneTimeLink => ({
  id: row.id,
  purpose: row.purpose,
  email: row.email,
  userId: row.user_id,
  accountId: row.account_id,
  role: row.role,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})

const audit = (
  tx: Tx,
  deps: AccountDeps,
  { id, purpose, email, userId, accountId, role }: OneTimeLink,
  actor: string,
  verb: 'issued' | 'used' | 'revoked',
): Promise<void> =>
  appendAudit(tx, deps, {
    accountId,
    actor,
    action: `${purpose === 'set-up' ? 'set_up' : purpose}_link.${verb}`,
    detail: {
      linkId: id,
      ...(userId === null ? { email } : { userId }),
      ...(role === null ? {} : { role }),
    },
  })
