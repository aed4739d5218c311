import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'

/** A wallet by its key. */
export interface WalletKey {
  account_id: string
  mode: Mode
}

/** Sorts before the first one. */
export const beforeWallets: WalletKey = { account_id: '', mode: '' as Mode }

/** Returns the next wallets after this one, in the order of their keys. */
export const readWalletsAfter = (read: Db, after: WalletKey, limit: number): Promise<WalletKey[]> =>
  read
    .selectFrom('wallets')
    .select(['account_id', 'mode'])
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('account_id', 'mode'), '>', tuple(after.account_id, after.mode)),
    )
    .orderBy('account_id')
    .orderBy('mode')
    .limit(limit)
    .execute()
