import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import type { OwnDevicePrice } from '../../storage/tables/schema.ts'
import { type AccountDeps, readAccount } from './accounts.ts'

/**
 * Sets what messages over an account's own phones, modems and links cost: `charged` takes them off the balance,
 * `free` counts them apart from it. Applies to sends from now on. Rejects an unknown account.
 */
export async function setOwnDevices(
  tx: Tx,
  deps: AccountDeps,
  { accountId, price, actor }: { accountId: string; price: OwnDevicePrice; actor: string },
): Promise<void> {
  await readAccount(tx, accountId)
  await tx
    .updateTable('accounts')
    .set({ own_devices: price, updated_at: deps.nowMs })
    .where('id', '=', accountId)
    .execute()
  await appendAudit(tx, deps, {
    accountId,
    actor,
    action: 'account.own_devices',
    detail: { own_devices: price },
  })
  await touchDirectory(tx)
}
