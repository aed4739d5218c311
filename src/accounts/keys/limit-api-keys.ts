import type { Ids } from '../../runtime/ids.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import { readJson } from '../../storage/tables/json-columns.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { dailyCapFaults, type Scope } from './api-keys.ts'

/** The API keys of an account in one mode. */
export interface KeysOf {
  accountId: string
  mode: Mode
}

/** Returns the daily limit of each active key with which the account can send, at most ten; null: the key has none. */
export const readKeyLimits = async (db: Db, whose: KeysOf, nowMs: number): Promise<(number | null)[]> =>
  (await sendingKeys(db, whose, nowMs)).map(({ daily_cap }) => daily_cap)

/**
 * Sets the daily limit of the active keys that send and have none; other limits stay. Returns how many there were. Refuses
 * a limit that is no whole number above 0.
 */
export async function limitApiKeys(
  tx: Tx,
  deps: { ids: Ids; nowMs: number },
  { accountId, mode, dailyCap, actor }: KeysOf & { dailyCap: number; actor: string },
): Promise<number> {
  const faults = dailyCapFaults(dailyCap)
  if (faults.length > 0) throw invalidInput(faults)
  const keyIds = (await sendingKeys(tx, { accountId, mode }, deps.nowMs))
    .filter(({ daily_cap }) => daily_cap === null)
    .map(({ id }) => id)
  if (keyIds.length === 0) return 0
  await tx
    .updateTable('api_keys')
    .set({ daily_cap: dailyCap })
    .where('account_id', '=', accountId)
    .where('id', 'in', keyIds)
    .execute()
  const detail = { mode, keyIds, dailyCap }
  await appendAudit(tx, deps, { accountId, actor, action: 'api_key.limited', detail })
  await touchDirectory(tx)
  return keyIds.length
}

/** An account has at most ten active keys (`createApiKey`). */
async function sendingKeys(db: Db | Tx, { accountId, mode }: KeysOf, nowMs: number) {
  const active = await db
    .selectFrom('api_keys')
    .select(['id', 'scopes', 'daily_cap'])
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
    .execute()
  const sends: Scope = 'messages:send'
  return active.filter(({ scopes }) => readJson(scopes).includes(sends))
}
