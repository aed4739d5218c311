import { refuse } from '../../runtime/errors.ts'
import { invalidInput, nameFaults } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { insertRows } from '../../storage/seam/sets.ts'
import type { AccountDeps } from '../core/accounts.ts'

/** A challenge that was answered. A second response to it is rejected until it expires. */
export interface AnsweredChallenge {
  /** SHA-256, as hex. */
  hash: string
  expiresAt: number
}

/** A credential of an authenticator, after verification. */
export interface NewPasskey {
  userId: string
  /** Both as base64url. */
  credentialId: string
  publicKey: string
  counter: number
  transports: readonly string[]
  /** True if it can be copied to other devices of the user. */
  isSynced: boolean
  name: string
  actor: string
}

/**
 * Stores a passkey of a user, who can sign in with it from then on. Rejects a name that does not have 1 to
 * 100 characters, a challenge that was answered before, more than `maxPasskeys` passkeys, and one that is
 * already registered.
 */
export async function addPasskey(
  tx: Tx,
  deps: AccountDeps,
  {
    passkey,
    challenge,
    maxPasskeys,
  }: { passkey: NewPasskey; challenge: AnsweredChallenge; maxPasskeys: number },
): Promise<{ passkeyId: string }> {
  const { userId, credentialId, actor } = passkey
  const name = passkey.name.trim()
  await requirePasskeyRoom(tx, { userId, name, maxPasskeys })
  if (!(await takeChallenge(tx, challenge)))
    throw refuse('validation_failed', {
      detail: 'This response of the browser was already used. Start again.',
    })
  const known = await tx
    .selectFrom('passkeys')
    .select('id')
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
  if (known !== undefined)
    throw refuse('validation_failed', { detail: 'This passkey is already registered.' })
  const passkeyId = deps.ids('psk')
  await tx
    .insertInto('passkeys')
    .values({
      id: passkeyId,
      user_id: userId,
      credential_id: credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: passkey.transports.join(','),
      is_synced: passkey.isSynced ? 1 : 0,
      name,
      created_at: deps.nowMs,
      last_used_at: null,
    })
    .execute()
  await appendAudit(tx, deps, instanceEntry('user.passkey_added', actor, { userId, passkeyId, name }))
  return { passkeyId }
}

/**
 * Rejects a name that does not have 1 to 100 characters, and more than `maxPasskeys` passkeys, before a
 * device creates one that would not be stored.
 */
export async function requirePasskeyRoom(
  db: Db | Tx,
  { userId, name, maxPasskeys }: { userId: string; name: string; maxPasskeys: number },
): Promise<void> {
  const faults = nameFaults(name.trim())
  if (faults.length > 0) throw invalidInput(faults)
  const own = await db.selectFrom('passkeys').select('id').where('user_id', '=', userId).execute()
  if (own.length >= maxPasskeys)
    throw invalidInput([
      { code: 'too_many_items', detail: `You already have ${own.length} passkeys. Remove one first.` },
    ])
}

export type PasskeyUse = 'used' | 'answered_before' | 'removed' | 'counter_went_back'

/**
 * Stores the use of a passkey whose signature was verified; only `used` signs in. A counter that does not
 * increase indicates a copy (WebAuthn Level 3, section 6.1.1) and is recorded in the audit log; 0 means that
 * the authenticator does not count.
 */
export async function usePasskey(
  tx: Tx,
  deps: AccountDeps,
  {
    passkeyId,
    userId,
    counter,
    challenge,
  }: { passkeyId: string; userId: string; counter: number; challenge: AnsweredChallenge },
): Promise<PasskeyUse> {
  if (!(await takeChallenge(tx, challenge))) return 'answered_before'
  const { numUpdatedRows } = await tx
    .updateTable('passkeys')
    .set({ counter, last_used_at: deps.nowMs })
    .where('id', '=', passkeyId)
    .where((eb) => (counter === 0 ? eb('counter', '=', 0) : eb('counter', '<', counter)))
    .executeTakeFirst()
  const detail = { userId, passkeyId }
  if (numUpdatedRows > 0n) {
    await appendAudit(tx, deps, instanceEntry('user.passkey_used', userId, detail))
    return 'used'
  }
  const stored = await tx
    .selectFrom('passkeys')
    .select('counter')
    .where('id', '=', passkeyId)
    .executeTakeFirst()
  if (stored === undefined) return 'removed'
  const counters = { ...detail, counter, lastCounter: stored.counter }
  await appendAudit(tx, deps, instanceEntry('user.passkey_counter_went_back', userId, counters))
  return 'counter_went_back'
}

/** Removes a passkey of a user. Rejects an unknown one, and one of another user. */
export async function removePasskey(
  tx: Tx,
  deps: AccountDeps,
  { userId, passkeyId, actor }: { userId: string; passkeyId: string; actor: string },
): Promise<void> {
  const found = await tx
    .deleteFrom('passkeys')
    .where('id', '=', passkeyId)
    .where('user_id', '=', userId)
    .returning('name')
    .executeTakeFirst()
  if (found === undefined) throw refuse('not_found', { detail: 'Unknown passkey. It may have been removed.' })
  const detail = { userId, passkeyId, name: found.name }
  await appendAudit(tx, deps, instanceEntry('user.passkey_removed', actor, detail))
}

/** Removes all passkeys of a user, for example after the loss of all devices. Returns their number. */
export async function removePasskeys(
  tx: Tx,
  deps: AccountDeps,
  { userId, actor }: { userId: string; actor: string },
): Promise<number> {
  const rows = await tx.selectFrom('passkeys').select('id').where('user_id', '=', userId).execute()
  for (const { id } of rows) await removePasskey(tx, deps, { userId, passkeyId: id, actor })
  return rows.length
}

export interface ListedPasskey {
  id: string
  name: string
  isSynced: boolean
  createdAt: number
  lastUsedAt: number | null
}

/** Returns the passkeys of a user, newest first. */
export async function listPasskeys(db: Db | Tx, userId: string): Promise<ListedPasskey[]> {
  const rows = await db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    isSynced: row.is_synced === 1,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }))
}

/** Records a response to a challenge; returns false if there was one before. */
const takeChallenge = async (tx: Tx, { hash, expiresAt }: AnsweredChallenge): Promise<boolean> =>
  (await insertRows(tx, 'passkey_challenges', [{ hash, expires_at: expiresAt }], 'ignore')) === 1

/** Builds an entry about a user, who may be in several accounts or in none. */
const instanceEntry = (action: string, actor: string, detail: Readonly<Record<string, unknown>>) => ({
  accountId: null,
  actor,
  action,
  detail,
})
