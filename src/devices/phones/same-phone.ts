import { type Refusal, refuse } from '../../runtime/errors.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { openDeviceSecrets } from '../core/device-secrets.ts'
import { type DeviceDeps, retireDevice, setDevice } from '../core/device-store.ts'
import { readJson } from '../../storage/tables/json-columns.ts'

/**
 * Merges a phone that registered as a new device into its former one: its registration moves to that device,
 * which keeps its name, settings, senders and rate limit, and the new device is removed. How the phone is
 * connected is as for the new device: where it is visited, or that it visits. The registration of the former
 * device is superseded, as when the app is recognised by its SIMs. Rejects devices that are no phones, were removed, or differ in owner or mode. Also rejects a new device that was already offered
 * messages: reports on them would be about a removed device.
 */
export async function takeOverPhone(
  tx: Tx,
  deps: DeviceDeps,
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
  // First: an installation of the app has one device at a time (the index devices_by_installation).
  await retireDevice(tx, deps, { deviceId: newId, actor })
  await moveConnection(tx, deps, { former, renewed, actor })
  const { account_id: accountId } = former
  const detail = { deviceId, from: newId }
  await appendAudit(tx, deps, { accountId, actor, action: 'phone.taken_over', detail })
}

async function findPhoneDevice(tx: Tx, id: string) {
  const row = await tx
    .selectFrom('devices')
    .select(['id', 'account_id', 'mode', 'settings', 'secrets'])
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

/** The settings that say where and how onesixty visits a phone; none of a phone that visits. */
const connectionSettings = ['local_address', 'local_user', 'local_id'] as const

type PhoneDevice = Awaited<ReturnType<typeof findPhoneDevice>>

/** Connects the former device as the new one is: what the new one does not have is removed. */
async function moveConnection(
  tx: Tx,
  deps: DeviceDeps,
  { former, renewed, actor }: { former: PhoneDevice; renewed: PhoneDevice; actor: string },
): Promise<void> {
  const [before, given] = [readJson(former.settings), readJson(renewed.settings)]
  const moved = connectionSettings.filter((name) => before[name] !== given[name])
  if (moved.length === 0) return
  const settings = Object.fromEntries(moved.map((name) => [name, given[name] ?? null]))
  const { local_password } = openDeviceSecrets(deps.secretBox, renewed)
  const secrets = local_password === undefined ? {} : { local_password }
  // The password of a phone that visits now is of no use.
  if (local_password === undefined)
    await tx.updateTable('devices').set({ secrets: null }).where('id', '=', former.id).execute()
  await setDevice(tx, deps, { deviceId: former.id, settings, secrets, actor })
}

const wrong = (detail: string): Refusal => invalidInput([{ code: 'out_of_range', detail }])
