import { refuse } from '../../runtime/errors.ts'
import { invalidInput, nameFaults } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { insertRows } from '../../storage/seam/sets.ts'
import type { AccountDeps } from '../core/accounts.ts'

/** A challenge that was answered; it must not be answered again until it ends. */
export interface AnsweredChallenge {
  /** SHA-256, as hex. */
  hash: string
  expiresAt: number
}

/** What an authenticator has made for a person, after it was verified. */
export interface NewPasskey {
  userId: string
  /** Both as base64url. */
  credentialId: string
  publicKey: string
  counter: number
  transports: readonly string[]
  /** Whether it may be copied to other devices of the person. */
  isSynced: boolean
  name: string
  actor: string
}

/**
 * Keeps a passkey of a person, who from then on signs in by it. Refuses a name that is not 1 to 100 characters, a challenge that was answered
 * before, more passkeys than `maxPasskeys`, and one that somebody has already.
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
    throw refuse('validation_failed', { detail: 'This answer of the browser was taken before. Start again.' })
  const known = await tx
    .selectFrom('passkeys')
    .select('id')
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
  if (known !== undefined) throw refuse('validation_failed', { detail: 'This passkey is here already.' })
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

/** Refuses a name that is not 1 to 100 characters, and one more than `maxPasskeys`: before a device has made what nobody keeps. */
export async function requirePasskeyRoom(
  db: Db | Tx,
  { userId, name, maxPasskeys }: { userId: string; name: string; maxPasskeys: number },
): Promise<void> {
  const faults = nameFaults(name.trim())
  if (faults.length > 0) throw invalidInput(faults)
  const own = await db.selectFrom('passkeys').select('id').where('user_id', '=', userId).execute()
  if (own.length >= maxPasskeys)
    throw invalidInput([
      { code: 'too_many_items', detail: `There are ${own.length} passkeys already; remove one first.` },
    ])
}

export type PasskeyUse = 'used' | 'answered_before' | 'removed' | 'counter_went_back'

/**
 * Writes down that a passkey was used, of which the signature was verified; what it gives besides `used` lets nobody in. A counter that does not
 * go up tells of a copy (WebAuthn Level 3, section 6.1.1) and is said in the audit log; 0 means that the authenticator does not count.
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

/** Removes a passkey of a person. Refuses one that is not there, or not theirs. */
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
  if (found === undefined)
    throw refuse('not_found', { detail: 'There is no such passkey; it may have been removed.' })
  const detail = { userId, passkeyId, name: found.name }
  await appendAudit(tx, deps, instanceEntry('user.passkey_removed', actor, detail))
}

/** Removes all passkeys of a person who has lost the devices that have them. Gives how many. */
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

/** A person's passkeys, the newest first. */
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

/** Whether an answer to a challenge is the first: false when one was taken before. */
const takeChallenge = async (tx: Tx, { hash, expiresAt }: AnsweredChallenge): Promise<boolean> =>
  (await insertRows(tx, 'passkey_challenges', [{ hash, expires_at: expiresAt }], 'ignore')) === 1

/** Of a person, who may be in several accounts or in none. */
const instanceEntry = (action: string, actor: string, detail: Readonly<Record<string, unknown>>) => ({
  accountId: null,
  actor,
  action,
  detail,
})
