import type { LocalDevice } from '../../connectors/connector-tools.ts'
import type { LocalLogin } from '../../connectors/try-local.ts'
import type { PhoneTokenOwner } from '../../devices/phones/phone-tokens.ts'
import type { PhoneDeps } from '../../devices/phones/registered-phones.ts'
import { addVisitedPhone, findVisited, reconnectVisitedPhone } from '../../devices/phones/visited-phones.ts'
import type { Tx } from '../../storage/seam/dialect.ts'

/** A phone that was tried: its address and login, and what it reported about itself. */
export interface TriedPhone {
  given: LocalLogin
  device: LocalDevice
}

/**
 * Stores a phone that was tried: as a new device of an owner, or as the new connection of a device, which `state` also
 * enables. Returns the ID of the device. Refuses a phone that another device visits already, and a device beyond the
 * owner's maximum.
 */
export async function storeLocalPhone(
  tx: Tx,
  deps: PhoneDeps,
  whose: (PhoneTokenOwner | { deviceId: string; state?: 'enabled' }) & { actor: string },
  { given, device }: TriedPhone,
): Promise<string> {
  // What was tried is what is stored: a user that is not given is the app's default, not that of a former login.
  const settings = { local_user: null, ...given.settings, ...device.settings }
  const at = { settings, secrets: given.secrets }
  const reported = { name: device.name, sims: device.sims, usesPush: false, appVersion: device.appVersion }
  if (!('deviceId' in whose)) return addVisitedPhone(tx, deps, whose, { at, reported })
  await reconnectVisitedPhone(tx, deps, whose, { at, reported })
  return whose.deviceId
}

/**
 * Stores a phone that a guide connected: as a new device, or as the device that its owner has already, whose address and
 * password may have changed. So a guide that is started again resumes; a device that was disabled or drained is enabled,
 * since otherwise its guide would wait indefinitely. Refuses a phone of another owner.
 */
export async function resumeLocalPhone(
  tx: Tx,
  deps: PhoneDeps,
  owner: PhoneTokenOwner & { actor: string },
  tried: TriedPhone,
): Promise<string> {
  const known = await findVisited(tx, deps, { localId: tried.device.settings['local_id'] })
  const isOwn = known?.accountId === owner.accountId && known.mode === owner.mode
  if (known === null || !isOwn) return storeLocalPhone(tx, deps, owner, tried)
  const enables = known.isAtRest ? ({ state: 'enabled' } as const) : {}
  return storeLocalPhone(tx, deps, { deviceId: known.id, actor: owner.actor, ...enables }, tried)
}
