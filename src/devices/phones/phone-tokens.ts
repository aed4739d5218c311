import { createHash } from 'node:crypto'
import type { Ids } from '../../runtime/ids.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { requireOpenOwner } from '../core/device-owner.ts'

export interface PhoneTokenDeps {
  ids: Ids
  nowMs: number
  randomBytes: (count: number) => Uint8Array
}

/**
 * The owner of phones that register with a private token; a null account is the operator's, whose phones are
 * shared.
 */
export interface PhoneTokenOwner {
  accountId: string | null
  mode: Mode
}

/** Limits the live tokens of an owner; one can be used for several phones. */
const maxLiveTokens = 100
/** 28 characters of 5 bits: 140 bits, in groups that are easy to read out. */
const groups = { count: 7, length: 4 } as const
/** Crockford's base32: without letters that look like digits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * Creates a private token and returns it in clear text, only once: only its SHA-256 is stored. Earlier ones
 * stay valid, because phones keep theirs and use it to register again. Rejects closed accounts, and the 101st
 * live token.
 */
export async function mintPhoneToken(
  tx: Tx,
  deps: PhoneTokenDeps,
  { accountId, mode, actor }: PhoneTokenOwner & { actor: string },
): Promise<{ tokenId: string; token: string }> {
  await requireOpenOwner(tx, accountId)
  const { live } = await liveTokens(tx, accountId)
    .select(({ fn }) => fn.countAll<number>().as('live'))
    .executeTakeFirstOrThrow()
  if (live >= maxLiveTokens) {
    const detail = `Maximum of ${maxLiveTokens} private tokens reached. Revoke them first with --revoke-tokens.`
    throw invalidInput([{ code: 'too_many_items', detail }])
  }
  const tokenId = deps.ids('ptk')
  const token = randomToken(deps.randomBytes)
  await tx
    .insertInto('phone_tokens')
    .values({
      id: tokenId,
      account_id: accountId,
      mode,
      hash: hashOfPrivateToken(token),
      created_at: deps.nowMs,
    })
    .execute()
  await appendAudit(tx, deps, { accountId, actor, action: 'phone_token.created', detail: { tokenId, mode } })
  return { tokenId, token }
}

/** Revokes every private token of an owner; registered phones stay. Returns how many there were. */
export async function revokePhoneTokens(
  tx: Tx,
  deps: Pick<PhoneTokenDeps, 'ids' | 'nowMs'>,
  { accountId, actor }: { accountId: string | null; actor: string },
): Promise<number> {
  const ids = (await liveTokens(tx, accountId).select('id').execute()).map((row) => row.id)
  await revoke(tx, deps, ids, { accountId, actor, detail: { tokens: ids.length } })
  return ids.length
}

/**
 * Revokes one private token of an owner that no phone has used, so that a guide that makes another one leaves none behind.
 * Returns false, and changes nothing, for one that a phone has used or that is not the owner's.
 */
export async function revokeUnusedToken(
  tx: Tx,
  deps: Pick<PhoneTokenDeps, 'ids' | 'nowMs'>,
  { tokenId, accountId, mode, actor }: PhoneTokenOwner & { tokenId: string; actor: string },
): Promise<boolean> {
  const unused = await liveTokens(tx, accountId)
    .select('id')
    .where('id', '=', tokenId)
    .where('mode', '=', mode)
    .where('last_used_at', 'is', null)
    .executeTakeFirst()
  if (unused === undefined) return false
  await revoke(tx, deps, [tokenId], { accountId, actor, detail: { tokens: 1, tokenId } })
  return true
}

/**
 * Revokes the private tokens that a phone has used: its finder cannot register a new device with them. Other
 * phones that registered with them stay. Returns how many there were.
 */
export async function revokeTokensOfPhone(
  tx: Tx,
  deps: Pick<PhoneTokenDeps, 'ids' | 'nowMs'>,
  { deviceId, actor }: { deviceId: string; actor: string },
): Promise<number> {
  const tokens = await tokensOfPhone(tx, deviceId)
  const ids = tokens.map(({ id }) => id)
  const accountId = tokens[0]?.account_id ?? null
  await revoke(tx, deps, ids, { accountId, actor, detail: { tokens: ids.length, deviceId } })
  return ids.length
}

/** Returns the private tokens that a phone has used and that are still valid. */
export const tokensOfPhone = (
  db: Db | Tx,
  deviceId: string,
): Promise<{ id: string; account_id: string | null }[]> =>
  db
    .selectFrom('phone_tokens as t')
    .select(['t.id', 't.account_id'])
    .where('t.revoked_at', 'is', null)
    .where('t.id', 'in', (of) =>
      of.selectFrom('phones as p').select('p.token_id').where('p.device_id', '=', deviceId),
    )
    .execute()

async function revoke(
  tx: Tx,
  deps: Pick<PhoneTokenDeps, 'ids' | 'nowMs'>,
  ids: readonly string[],
  {
    accountId,
    actor,
    detail,
  }: { accountId: string | null; actor: string; detail: Readonly<Record<string, unknown>> },
): Promise<void> {
  if (ids.length === 0) return
  await tx.updateTable('phone_tokens').set({ revoked_at: deps.nowMs }).where('id', 'in', ids).execute()
  await appendAudit(tx, deps, { accountId, actor, action: 'phone_token.revoked', detail })
}

/** Returns the owner of a private token, in any spelling; null if it is unknown, revoked, or of a closed account. */
export async function findPhoneToken(
  db: Db | Tx,
  typed: string,
): Promise<(PhoneTokenOwner & { tokenId: string }) | null> {
  const row = await db
    .selectFrom('phone_tokens as t')
    .leftJoin('accounts as a', 'a.id', 't.account_id')
    .select(['t.id', 't.account_id', 't.mode', 'a.state'])
    .where('t.hash', '=', hashOfPrivateToken(typed))
    .where('t.revoked_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined || row.state === 'closed') return null
  return { tokenId: row.id, accountId: row.account_id, mode: row.mode }
}

/** Returns the hash of a private token. Letters that are easily confused, blanks and dashes make no difference. */
const hashOfPrivateToken = (typed: string): string =>
  createHash('sha256')
    .update(typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1'))
    .digest('hex')

function randomToken(randomBytes: (count: number) => Uint8Array): string {
  const letters = [...randomBytes(groups.count * groups.length)].map((byte) => alphabet.charAt(byte & 31))
  return Array.from({ length: groups.count }, (_, i) =>
    letters.slice(i * groups.length, (i + 1) * groups.length).join(''),
  ).join('-')
}

const liveTokens = (tx: Tx, accountId: string | null) =>
  tx
    .selectFrom('phone_tokens')
    .where('account_id', accountId === null ? 'is' : '=', accountId)
    .where('revoked_at', 'is', null)
