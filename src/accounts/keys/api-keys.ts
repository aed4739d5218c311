import { type Fault, refuse } from '../../runtime/errors.ts'
import { invalidInput, nameFaults } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { updateRows } from '../../storage/seam/sets.ts'
import { type AccountDeps, readAccount } from '../core/accounts.ts'
import { addressFault } from '../../runtime/address-list.ts'
import { mintApiKey } from './api-key-format.ts'
import { readJson, writeJson } from '../../storage/tables/json-columns.ts'

/** Permissions that a key can have. */
export const apiKeyScopes = ['messages:send', 'messages:read', 'status:read', 'balance:read'] as const
export type Scope = (typeof apiKeyScopes)[number]

export interface NewApiKey {
  accountId: string
  mode: Mode
  name: string
  /** Default: all. */
  scopes?: readonly string[]
  /** Addresses and CIDRs from which it can be used. Default: any. */
  addresses?: readonly string[]
  /** SMS per UTC day. */
  dailyCap?: number | null
  expiresAt?: number | null
  actor: string
}

const maxActiveKeys = 10
const maxAddresses = 100

/**
 * Creates a key and returns its token, of which only the SHA-256 is stored. Rejects the eleventh active key
 * of an account, closed accounts, unknown scopes, invalid addresses, and an expiry in the past.
 */
export async function createApiKey(
  tx: Tx,
  deps: AccountDeps & { randomBytes: (count: number) => Uint8Array },
  key: NewApiKey,
): Promise<{ keyId: string; token: string; lastFour: string }> {
  const {
    accountId,
    mode,
    actor,
    scopes = apiKeyScopes,
    addresses = [],
    dailyCap = null,
    expiresAt = null,
  } = key
  const name = key.name.trim()
  const faults = [...nameFaults(name), ...limitFaults({ scopes, addresses, dailyCap, expiresAt }, deps.nowMs)]
  if (faults.length > 0) throw invalidInput(faults)
  const account = await readAccount(tx, accountId)
  if (account.state === 'closed')
    throw invalidInput([{ code: 'out_of_range', detail: `Account ${accountId} is closed.` }])
  await refuseEleventh(tx, accountId, deps.nowMs)

  const keyId = deps.ids('key')
  const { token, hash, lastFour } = mintApiKey({ mode, randomBytes: deps.randomBytes })
  await tx
    .insertInto('api_keys')
    .values({
      id: keyId,
      account_id: accountId,
      mode,
      hash,
      last_four: lastFour,
      name,
      scopes: writeJson(apiKeyScopes.filter((scope) => scopes.includes(scope))),
      addresses: addresses.length === 0 ? null : writeJson(addresses),
      daily_cap: dailyCap,
      created_at: deps.nowMs,
      expires_at: expiresAt,
    })
    .execute()
  const detail = { keyId, mode, name, scopes, addresses, dailyCap, expiresAt }
  await appendAudit(tx, deps, { accountId, actor, action: 'api_key.created', detail })
  await touchDirectory(tx)
  return { keyId, token, lastFour }
}

/** Revokes a key permanently; returns false if it was already revoked. Rejects an unknown key. */
export async function revokeApiKey(
  tx: Tx,
  deps: AccountDeps,
  change: { keyId: string; actor: string },
): Promise<boolean> {
  const key = await tx
    .selectFrom('api_keys')
    .select(['account_id', 'revoked_at'])
    .where('id', '=', change.keyId)
    .executeTakeFirst()
  if (key === undefined) throw refuse('not_found', { detail: `There is no API key ${change.keyId}.` })
  if (key.revoked_at !== null) return false
  await tx.updateTable('api_keys').set({ revoked_at: deps.nowMs }).where('id', '=', change.keyId).execute()
  const { account_id: accountId } = key
  await appendAudit(tx, deps, {
    accountId,
    actor: change.actor,
    action: 'api_key.revoked',
    detail: { keyId: change.keyId },
  })
  await touchDirectory(tx)
  return true
}

export interface ListedApiKey {
  id: string
  mode: Mode
  name: string
  lastFour: string
  scopes: readonly string[]
  addresses: readonly string[]
  dailyCap: number | null
  state: 'active' | 'expired' | 'revoked'
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
}

/** Returns the newest keys of an account, at most `limit`, without token and hash. */
export async function listApiKeys(
  db: Db,
  request: { accountId: string; nowMs: number; limit: number },
): Promise<ListedApiKey[]> {
  const rows = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('account_id', '=', request.accountId)
    .orderBy('id', 'desc')
    .limit(request.limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    mode: row.mode,
    name: row.name,
    lastFour: row.last_four,
    scopes: readJson(row.scopes),
    addresses: row.addresses === null ? [] : readJson(row.addresses),
    dailyCap: row.daily_cap,
    state:
      row.revoked_at !== null
        ? 'revoked'
        : row.expires_at !== null && row.expires_at <= request.nowMs
          ? 'expired'
          : 'active',
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  }))
}

/** The last use of a key, to the minute. */
export interface KeyUse {
  keyId: string
  atMs: number
}

/** Stores when keys were last used. The directory version stays: no decision depends on it. */
export async function touchLastUsed(tx: Tx, uses: readonly KeyUse[]): Promise<void> {
  await updateRows(
    tx,
    'api_keys',
    ['id'],
    uses.map(({ keyId, atMs }) => ({ id: keyId, last_used_at: atMs })),
  )
}

async function refuseEleventh(tx: Tx, accountId: string, nowMs: number): Promise<void> {
  const active = await tx
    .selectFrom('api_keys')
    .select('id')
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
    .limit(maxActiveKeys)
    .execute()
  if (active.length < maxActiveKeys) return
  throw invalidInput([
    {
      code: 'too_many_items',
      detail: `Account ${accountId} has ${maxActiveKeys} active keys already; revoke one first.`,
    },
  ])
}

type Limits = Required<Pick<NewApiKey, 'scopes' | 'addresses' | 'dailyCap' | 'expiresAt'>>

/** Returns what is wrong with a daily limit. */
export const dailyCapFaults = (dailyCap: number): Fault[] =>
  Number.isSafeInteger(dailyCap) && dailyCap > 0
    ? []
    : [
        {
          pointer: '/daily_cap',
          code: 'out_of_range',
          detail: 'The daily limit must be a whole number of SMS above 0.',
        },
      ]

function limitFaults({ scopes, addresses, dailyCap, expiresAt }: Limits, nowMs: number): Fault[] {
  const faults: Fault[] = []
  const known: readonly string[] = apiKeyScopes
  const unknown = scopes.filter((scope) => !known.includes(scope))
  if (unknown.length > 0) {
    faults.push({
      pointer: '/scopes',
      code: 'not_in_enum',
      detail: `Unknown scope '${unknown[0]}'. Available: ${known.join(', ')}.`,
    })
  }
  if (scopes.length === 0)
    faults.push({ pointer: '/scopes', code: 'too_short', detail: 'A key needs at least one scope.' })
  if (addresses.length > maxAddresses) {
    faults.push({
      pointer: '/addresses',
      code: 'too_many_items',
      detail: `A key can have at most ${maxAddresses} addresses.`,
    })
  }
  for (const detail of addresses.map(addressFault)) {
    if (detail !== null) faults.push({ pointer: '/addresses', code: 'invalid_format', detail })
  }
  if (dailyCap !== null) faults.push(...dailyCapFaults(dailyCap))
  if (expiresAt !== null && !(expiresAt > nowMs)) {
    faults.push({
      pointer: '/expires_at',
      code: 'out_of_range',
      detail: 'The expiry must be in the future.',
    })
  }
  return faults
}
