import type { Tx } from '../storage/seam/dialect.ts'
import { touchDirectory } from '../storage/seam/directory-version.ts'
import { updateRows } from '../storage/seam/sets.ts'

/** Replaces the name of a key of an erased account: a name cannot be empty. */
const erasedKey = 'Erased key'

/**
 * Revokes the keys of an account that is being erased, and erases what users entered: names and addresses.
 * The hashes stay: no token can be derived from them. Returns the number of changed keys; 0 when all were
 * erased before.
 */
export async function eraseKeys(
  tx: Tx,
  { nowMs }: { nowMs: number },
  { accountId }: { accountId: string },
): Promise<number> {
  const rows = await tx
    .selectFrom('api_keys')
    .select(['id', 'revoked_at'])
    .where('account_id', '=', accountId)
    .where(({ eb, or }) =>
      or([
        eb('revoked_at', 'is', null),
        eb('name', '!=', erasedKey),
        eb('last_four', '!=', ''),
        eb('addresses', 'is not', null),
      ]),
    )
    .execute()
  const blank = rows.map(({ id, revoked_at }) => ({
    id,
    name: erasedKey,
    last_four: '',
    addresses: null,
    revoked_at: revoked_at ?? nowMs,
  }))
  const changed = await updateRows(tx, 'api_keys', ['id'], blank)
  if (changed > 0) await touchDirectory(tx)
  return changed
}
