import type { Clock } from '../runtime/clock.ts'
import type { GuideOutcome } from '../devices/phones/connect-guide.ts'
import { triedRemedies } from '../devices/phones/guide-words.ts'
import type { PhoneTokenOwner } from '../devices/phones/phone-tokens.ts'
import type { PhoneDeps } from '../devices/phones/registered-phones.ts'
import { addVisitedPhone, findVisited, reconnectVisitedPhone } from '../devices/phones/visited-phones.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import type { ConnectorKind } from './connector.ts'
import type { LocalDevice } from './connector-tools.ts'
import { factsOf } from './registry.ts'

/** Where the Local Server of a phone is, and its login. */
export interface LocalLogin {
  settings: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
}

/** Returns the settings and secrets of an address and a login; a user of '' is the app's default. */
export const localLogin = (address: string, user: string, password: string): LocalLogin => ({
  settings: { local_address: address, ...(user === '' ? {} : { local_user: user }) },
  secrets: { local_password: password },
})

/** What a try of a Local Server found: the address alone, then the login, then the phone. */
export interface LocalTrial {
  address: GuideOutcome
  login: GuideOutcome | null
  device: LocalDevice | null
}

/** Tries an address without the password, and then the password. Never throws for what the phone answers. */
export async function tryLocalPhone(
  { kind, local, settings: rules }: ConnectorKind,
  given: LocalLogin,
  clock: Clock,
): Promise<LocalTrial> {
  if (local === undefined) throw new Error(`${kind} has no devices that are visited`)
  const wrong = rules.flatMap(({ name, check }) => {
    const value = given.settings[name]
    const fault = value === undefined ? null : check(value)
    return fault === null ? [] : [`${name === 'local_user' ? 'The user name' : 'The address'} ${fault}.`]
  })
  if (wrong.length > 0)
    return { address: { isOk: false, summary: wrong.join(' '), remedy: null }, login: null, device: null }
  const at = given.settings['local_address'] ?? ''
  let address: GuideOutcome | null = null
  try {
    const { appVersion } = await local.greet(given.settings, clock)
    address = { isOk: true, summary: `App ${appVersion} answers at ${at}.`, remedy: null }
    const device = await local.look(given, clock)
    return { address, login: { isOk: true, summary: '', remedy: null }, device }
  } catch (error) {
    const failed = failedOutcome(kind, at, error)
    return { address: address ?? failed, login: address === null ? null : failed, device: null }
  }
}

const summaries: Readonly<Record<string, string>> = {
  unreachable: 'No answer from',
  not_the_app: 'Not the app at',
  wrong_password: 'Wrong user name or password at',
  too_old_to_visit: 'The app is too old at',
  address_not_private: 'Not a private address:',
  phone_errors: 'The app answered with an error at',
}

function failedOutcome(kind: string, at: string, error: unknown): GuideOutcome {
  const { fault } = error as { fault?: unknown }
  if (typeof fault !== 'string') throw error
  const remedy = triedRemedies[fault] ?? factsOf(kind)?.remedies[fault] ?? null
  return { isOk: false, summary: `${summaries[fault] ?? fault} ${at}.`, remedy }
}

/**
 * Stores a phone that was tried: as a new device of an owner, or as the new connection of a device. Returns the ID of
 * the device. Refuses a phone that another device visits already, and a device beyond the owner's maximum.
 */
export async function storeLocalPhone(
  tx: Tx,
  deps: PhoneDeps,
  whose: (PhoneTokenOwner | { deviceId: string }) & { actor: string },
  { given, device }: { given: LocalLogin; device: LocalDevice },
): Promise<string> {
  const at = { settings: { ...given.settings, ...device.settings }, secrets: given.secrets }
  const reported = { name: device.name, sims: device.sims, usesPush: false, appVersion: device.appVersion }
  if (!('deviceId' in whose)) return addVisitedPhone(tx, deps, whose, { at, reported })
  await reconnectVisitedPhone(tx, deps, whose.deviceId, { at, reported, actor: whose.actor })
  return whose.deviceId
}

/**
 * Stores a phone that a guide connected: as a new device, or as the device that its owner has already, whose address and
 * password may have changed. So a guide that is started again resumes. Refuses a phone of another owner.
 */
export async function resumeLocalPhone(
  tx: Tx,
  deps: PhoneDeps,
  owner: PhoneTokenOwner & { actor: string },
  tried: { given: LocalLogin; device: LocalDevice },
): Promise<string> {
  const known = await findVisited(tx, deps, { localId: tried.device.settings['local_id'] })
  const isOwn = known?.accountId === owner.accountId && known.mode === owner.mode
  const whose = isOwn && known !== null ? { deviceId: known.id, actor: owner.actor } : owner
  return storeLocalPhone(tx, deps, whose, tried)
}
