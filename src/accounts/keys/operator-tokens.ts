import { minuteMs } from '../../runtime/clock.ts'
import { timingSafeEqual } from 'node:crypto'
import { refuse } from '../../runtime/errors.ts'
import { invalidInput, nameFaults } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { AccountDeps } from '../core/accounts.ts'
import { hashOfToken, mintToken } from './secret-token.ts'

/** Scopes of the operator API: `write` includes `read`. */
export const operatorScopes = ['read', 'write'] as const
export type OperatorScope = (typeof operatorScopes)[number]

/** Differs from the prefix of API keys, so that neither is ever mistaken for the other. */
const prefix = 'onesixty_operator_'
const maxActiveTokens = 50

export interface NewOperatorToken {
  name: string
  scope: OperatorScope
  expiresAt: number | null
  actor: string
}

/**
 * Creates a token for a client of the operator API and returns it. Only its SHA-256 is stored. Rejects names
 * that do not have 1 to 100 characters, an expiry in the past, and the fifty-first active token.
 */
export async function createOperatorToken(
  tx: Tx,
  deps: AccountDeps & { randomBytes: (count: number) => Uint8Array },
  wanted: NewOperatorToken,
): Promise<{ tokenId: string; token: string; lastFour: string }> {
  const name = wanted.name.trim()
  const { scope, expiresAt, actor } = wanted
  const faults = nameFaults(name)
  if (expiresAt !== null && !(expiresAt > deps.nowMs))
    faults.push({
      pointer: '/expires_at',
      code: 'out_of_range',
      detail: 'The expiry must be in the future.',
    })
  if (faults.length > 0) throw invalidInput(faults)
  const active = (await readTokens(tx, deps.nowMs)).filter(({ state }) => state === 'active')
  if (active.length >= maxActiveTokens)
    throw invalidInput([
      {
        code: 'too_many_items',
        detail: `There are ${maxActiveTokens} active tokens already; revoke one first.`,
      },
    ])
  const tokenId = deps.ids('otk')
  const { token, hash, lastFour } = mintToken({ prefix, randomBytes: deps.randomBytes })
  await tx
    .insertInto('operator_tokens')
    .values({
      id: tokenId,
      hash,
      last_four: lastFour,
      name,
      scope,
      actor,
      created_at: deps.nowMs,
      expires_at: expiresAt,
    })
    .execute()
  const detail = { tokenId, name, scope, expiresAt }
  await appendAudit(tx, deps, { accountId: null, actor, action: 'operator_token.created', detail })
  return { tokenId, token, lastFour }
}

/** Revokes a token permanently; returns false if it was already revoked. Rejects an unknown token. */
export async function revokeOperatorToken(
  tx: Tx,
  deps: AccountDeps,
  { tokenId, actor }: { tokenId: string; actor: string },
): Promise<boolean> {
  const known = await tx
    .selectFrom('operator_tokens')
    .select('revoked_at')
    .where('id', '=', tokenId)
    .executeTakeFirst()
  if (known === undefined) throw refuse('not_found', { detail: `There is no token ${tokenId}.` })
  if (known.revoked_at !== null) return false
  await tx
    .updateTable('operator_tokens')
    .set({ revoked_at: deps.nowMs })
    .where('id', '=', tokenId)
    .where('revoked_at', 'is', null)
    .execute()
  await appendAudit(tx, deps, {
    accountId: null,
    actor,
    action: 'operator_token.revoked',
    detail: { tokenId },
  })
  return true
}

export interface ListedOperatorToken {
  id: string
  name: string
  lastFour: string
  scope: OperatorScope
  state: 'active' | 'expired' | 'revoked'
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
}

/**
 * Returns tokens, newest first, including expired and revoked ones, so that audit log entries about them can
 * be understood.
 */
export async function readTokens(db: Db | Tx, nowMs: number): Promise<ListedOperatorToken[]> {
  const rows = await db.selectFrom('operator_tokens').selectAll().orderBy('id', 'desc').limit(500).execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    lastFour: row.last_four,
    scope: row.scope,
    state: stateOf(row, nowMs),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  }))
}

/** The caller, as identified by the token. */
export interface OperatorCaller {
  tokenId: string
  scope: OperatorScope
}

/**
 * Returns the owner of a token, or null if it is unknown, expired or revoked. It is read on each call: a
 * revoked token is rejected immediately on every node. `usedFirstIn` is the minute of the use if it is a new
 * one, for `touchOperatorToken`.
 */
export async function findOperatorToken(
  db: Db,
  token: string,
  nowMs: number,
): Promise<(OperatorCaller & { usedFirstIn: number | null }) | null> {
  const hash = hashOfToken(prefix, token)
  if (hash === null) return null
  const row = await db.selectFrom('operator_tokens').selectAll().where('hash', '=', hash).executeTakeFirst()
  if (row === undefined || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return null
  if (stateOf(row, nowMs) !== 'active') return null
  const minute = nowMs - (nowMs % minuteMs)
  return { tokenId: row.id, scope: row.scope, usedFirstIn: (row.last_used_at ?? 0) < minute ? minute : null }
}

/** Stores the minute in which a token was last used. */
export async function touchOperatorToken(
  tx: Tx,
  { tokenId, minute }: { tokenId: string; minute: number },
): Promise<void> {
  await tx
    .updateTable('operator_tokens')
    .set({ last_used_at: minute })
    .where('id', '=', tokenId)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', minute)]))
    .execute()
}

const stateOf = (
  { revoked_at, expires_at }: { revoked_at: number | null; expires_at: number | null },
  nowMs: number,
): ListedOperatorToken['state'] =>
  revoked_at !== null ? 'revoked' : expires_at !== null && expires_at <= nowMs ? 'expired' : 'active'
