import { hourMs } from '../../runtime/clock.ts'
import { refuse } from '../../runtime/errors.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import type { AccountDeps } from '../core/accounts.ts'
import { createApiKey } from './api-keys.ts'
import { readJson } from '../../storage/tables/json-columns.ts'

/** Long enough for a slow deployment. */
export const longestOverlapHours = 7 * 24

/**
 * Creates a key with the permissions of another, and lets the old one expire after the overlap, in which both
 * work. Rejects a key of another account, an expired or revoked one, and an overlap that is not 0 to 168
 * hours.
 */
export async function rotateApiKey(
  tx: Tx,
  deps: AccountDeps & { randomBytes: (count: number) => Uint8Array },
  change: { accountId: string; keyId: string; overlapHours: number; actor: string },
): Promise<{ keyId: string; token: string; oldExpiresAt: number }> {
  const { accountId, keyId, overlapHours, actor } = change
  const { nowMs } = deps
  const old = await tx.selectFrom('api_keys').selectAll().where('id', '=', keyId).executeTakeFirst()
  const isInactive =
    old !== undefined && (old.revoked_at !== null || (old.expires_at !== null && old.expires_at <= nowMs))
  if (old === undefined || old.account_id !== accountId || isInactive)
    throw refuse('not_found', { detail: `There is no active API key ${keyId}.` })
  if (!(overlapHours >= 0 && overlapHours <= longestOverlapHours)) {
    const detail = `The overlap must be from 0 to ${longestOverlapHours} hours.`
    throw invalidInput([{ pointer: '/overlap_hours', code: 'out_of_range', detail }])
  }
  const oldExpiresAt = Math.min(old.expires_at ?? Infinity, nowMs + overlapHours * hourMs)
  // Expires the old key first, so that an account with ten keys can rotate one without an overlap.
  await tx.updateTable('api_keys').set({ expires_at: oldExpiresAt }).where('id', '=', keyId).execute()
  const made = await createApiKey(tx, deps, {
    accountId,
    mode: old.mode,
    name: old.name,
    scopes: readJson(old.scopes),
    addresses: old.addresses === null ? [] : readJson(old.addresses),
    dailyCap: old.daily_cap,
    actor,
  })
  const detail = { keyId, newKeyId: made.keyId, oldExpiresAt }
  await appendAudit(tx, deps, { accountId, actor, action: 'api_key.rotated', detail })
  await touchDirectory(tx)
  return { keyId: made.keyId, token: made.token, oldExpiresAt }
}
