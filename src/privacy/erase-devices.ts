import type { Ids } from '../runtime/ids.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import { deleteRows, updateRows } from '../storage/seam/sets.ts'
import { retireDevice } from '../devices/core/device-store.ts'
import { revokePhoneTokens } from '../devices/phones/phone-tokens.ts'

/** Erases devices of an account. Their rows stay, because messages and attempts reference them. */

const maxDevicesAtOnce = 20
const maxRowsAtOnce = 500
/** A name cannot be empty. */
const erasedDevice = 'Erased device'

interface Asked {
  accountId: string
  actor: string
}

/**
 * Retires a page of devices and erases their names, senders, settings and secrets, and the details that their
 * phones reported. Revokes private tokens. Returns the number of devices; 0 at the end.
 */
export async function eraseDevices(
  tx: Tx,
  deps: { ids: Ids; nowMs: number },
  { accountId, actor }: Asked,
): Promise<number> {
  await revokePhoneTokens(tx, deps, { accountId, actor })
  const rows = await tx
    .selectFrom('devices')
    .select('id')
    .where('account_id', '=', accountId)
    .where(({ eb, or }) =>
      or([
        eb('state', '!=', 'retired'),
        eb('name', '!=', erasedDevice),
        eb('senders', '!=', '[]'),
        eb('settings', '!=', '{}'),
      ]),
    )
    .limit(maxDevicesAtOnce)
    .execute()
  for (const { id } of rows) await retireDevice(tx, deps, { deviceId: id, actor })
  const blank = rows.map(({ id }) => ({ id, name: erasedDevice, senders: '[]', settings: '{}' }))
  await updateRows(tx, 'devices', ['id'], blank)
  const phone = { name: '', sims: '[]', app_version: null, signing_key: '' }
  await updateRows(
    tx,
    'phones',
    ['device_id'],
    rows.map(({ id }) => ({ device_id: id, ...phone })),
  )
  return rows.length
}

/**
 * Deletes a page of device history, and reports of a server that did not know yet that the device was
 * retired. Returns the number of rows; 0 at the end.
 */
export async function eraseDeviceHistory(tx: Tx, _: unknown, { accountId }: Asked): Promise<number> {
  const devices = tx.selectFrom('devices').select('id').where('account_id', '=', accountId)
  const reports = await tx.deleteFrom('device_reports').where('device_id', 'in', devices).executeTakeFirst()
  const states = await tx
    .selectFrom('device_states')
    .select(['device_id', 'from_at'])
    .where('device_id', 'in', devices)
    .limit(maxRowsAtOnce)
    .execute()
  const samples = await tx
    .selectFrom('device_samples')
    .select(['device_id', 'at'])
    .where('device_id', 'in', devices)
    .limit(maxRowsAtOnce)
    .execute()
  const unread = await tx.deleteFrom('unread_forms').where('device_id', 'in', devices).executeTakeFirst()
  const marks = await tx.deleteFrom('device_marks').where('device_id', 'in', devices).executeTakeFirst()
  return (
    Number(reports.numDeletedRows) +
    Number(unread.numDeletedRows) +
    Number(marks.numDeletedRows) +
    (await deleteRows(tx, 'device_states', ['device_id', 'from_at'], states)) +
    (await deleteRows(tx, 'device_samples', ['device_id', 'at'], samples))
  )
}
