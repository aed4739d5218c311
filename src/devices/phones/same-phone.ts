import { type Refusal, refuse } from '../../runtime/errors.ts'
import type { Ids } from '../../runtime/ids.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { retireDevice } from '../core/device-store.ts'

/**
 * Merges a phone that registered as a new device into its former one: its registration moves to that device,
 * which keeps its name, settings, senders and rate limit, and the new device is removed. The registration of
 * the former device is superseded, as when the app is recognised by its SIMs. Rejects devices that are no
 * phones, were removed, or differ in owner or mode. Also rejects a new device that was already offered
 * messages: reports on them would be about a removed device.
 */
export async function takeOverPhone(
  tx: Tx,
  deps: { ids: Ids; nowMs: number },
  { deviceId, newId, actor }: { deviceId: string; newId: string; actor: string },
): Promise<void> {
  const former = await findPhoneDevice(tx, deviceId)
  const renewed = await findPhoneDevice(tx, newId)
  if (deviceId === newId || former.account_id !== renewed.account_id || former.mode !== renewed.mode)
    throw wrong('The two must be different devices with the same owner and mode.')
  const offer = await tx
    .selectFrom('phone_offers')
    .select('attempt_id')
    .where('device_id', '=', newId)
    .limit(1)
    .executeTakeFirst()
  if (offer !== undefined)
    throw wrong(`${newId} already has messages: keep it, and remove ${deviceId} instead.`)
  const present = (id: string) =>
    tx.updateTable('phones').where('device_id', '=', id).where('superseded_at', 'is', null)
  await present(deviceId).set({ superseded_at: deps.nowMs, signing_key: '' }).execute()
  await present(newId).set({ device_id: deviceId, updated_at: deps.nowMs }).execute()
  await retireDevice(tx, deps, { deviceId: newId, actor })
  const { account_id: accountId } = former
  const detail = { deviceId, from: newId }
  await appendAudit(tx, deps, { accountId, actor, action: 'phone.taken_over', detail })
}

async function findPhoneDevice(tx: Tx, id: string) {
  const row = await tx
    .selectFrom('devices')
    .select(['account_id', 'mode'])
    .where('id', '=', id)
    .where('state', '!=', 'retired')
    .executeTakeFirst()
  if (row === undefined) throw refuse('not_found', { detail: `Device ${id} not found.` })
  const registration = await tx
    .selectFrom('phones')
    .select('id')
    .where('device_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (registration === undefined) throw wrong(`${id} is not a phone.`)
  return row
}

const wrong = (detail: string): Refusal => invalidInput([{ code: 'out_of_range', detail }])
