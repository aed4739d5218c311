import { refuse } from '../../runtime/errors.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { readJson } from '../../storage/tables/json-columns.ts'
import { setDevice } from '../core/device-store.ts'
import { mintPhoneToken, type PhoneTokenOwner, revokeTokensOfPhone } from './phone-tokens.ts'
import { addRegistration, type PhoneDeps, registerPhone, type SaidOfPhone } from './registered-phones.ts'

/** Where and how a phone is visited. */
export interface VisitedAt {
  /** Address, user and ID of the installation; null restores the default. */
  settings: Readonly<Record<string, string | null>>
  secrets: Readonly<Record<string, string>>
}

/** Returns whether onesixty visits the phone of a device, by its settings. */
export const isVisited = (settings: Readonly<Record<string, string>>): boolean =>
  (settings['local_address'] ?? '') !== ''

/**
 * Adds a phone that is visited, as a new device, and returns its ID. Its registration has a token that nothing
 * knows, so it is used in this process alone. Rejects a device beyond the owner's maximum, and a phone that
 * another device visits already.
 */
export async function addVisitedPhone(
  tx: Tx,
  deps: PhoneDeps,
  owner: PhoneTokenOwner & { actor: string },
  { at, reported }: { at: VisitedAt; reported: SaidOfPhone },
): Promise<string> {
  await requireUnvisited(tx, deps, { at })
  const { token } = await mintPhoneToken(tx, deps, owner)
  const registered = await registerPhone(tx, deps, token, reported)
  if (registered === null) throw new Error('a new private token was rejected')
  const { deviceId } = registered
  await revokeTokensOfPhone(tx, deps, { deviceId, actor: owner.actor })
  await setDevice(tx, deps, { deviceId, ...at, actor: owner.actor })
  return deviceId
}

/**
 * Connects a device to its phone again: a new address or password, or a reinstalled app. Another installation
 * gets a registration of its own, so that nothing that the former one was offered is ever submitted to it. With
 * `state` the device is enabled, too. Rejects a device that is no phone, and a phone that another device visits already.
 */
export async function reconnectVisitedPhone(
  tx: Tx,
  deps: PhoneDeps,
  { deviceId, ...change }: { deviceId: string; state?: 'enabled'; actor: string },
  { at, reported }: { at: VisitedAt; reported: SaidOfPhone },
): Promise<void> {
  const row = await tx
    .selectFrom('phones as p')
    .innerJoin('devices as d', 'd.id', 'p.device_id')
    .select(['p.id', 'p.token_id', 'd.settings', 'd.account_id'])
    .where('p.device_id', '=', deviceId)
    .where('p.superseded_at', 'is', null)
    .where('d.state', '!=', 'retired')
    .executeTakeFirst()
  if (row === undefined) throw refuse('not_found', { detail: `No phone has the device ${deviceId}.` })
  const before = readJson(row.settings)['local_id']
  await requireUnvisited(tx, deps, { at, besides: deviceId })
  await setDevice(tx, deps, { deviceId, ...at, ...change })
  if (before === at.settings['local_id']) return
  const { phoneId } = await addRegistration(tx, deps, {
    deviceId,
    tokenId: row.token_id,
    formerId: row.id,
    reported,
  })
  const detail = { deviceId, phoneId, tokenId: row.token_id, supersedes: row.id }
  const { actor } = change
  await appendAudit(tx, deps, { accountId: row.account_id, actor, action: 'phone.registered', detail })
}

/** A device that visits a phone. */
export interface VisitedDevice {
  id: string
  accountId: string | null
  mode: Mode
  /** It was disabled, or is drained: nothing new is sent over it. */
  isAtRest: boolean
}

/** Returns the device that visits the phone with this installation of the app; null without one. */
export async function findVisited(
  tx: Tx,
  { kind }: Pick<PhoneDeps, 'kind'>,
  { localId, besides = '' }: { localId: string | null | undefined; besides?: string },
): Promise<VisitedDevice | null> {
  const phones = await tx
    .selectFrom('devices')
    .select(['id', 'settings', 'account_id', 'mode', 'state', 'draining'])
    .where('kind', '=', kind)
    .where('state', '!=', 'retired')
    .where('id', '!=', besides)
    .where('settings', 'like', '%"local_id"%')
    .execute()
  const known = phones.find(({ settings }) => readJson(settings)['local_id'] === localId)
  if (known === undefined) return null
  const { id, account_id: accountId, mode, state, draining } = known
  return { id, accountId, mode, isAtRest: state === 'disabled' || draining === 1 }
}

/** Two devices of one phone would store each received SMS twice, and count the rate limit of its SIM twice. */
async function requireUnvisited(
  tx: Tx,
  deps: Pick<PhoneDeps, 'kind'>,
  { at, besides = '' }: { at: VisitedAt; besides?: string },
): Promise<void> {
  const known = await findVisited(tx, deps, { localId: at.settings['local_id'], besides })
  if (known === null) return
  const detail = `This phone is the device ${known.id} already. To change its address or password, connect that device again. To add it as a new device, remove that one first.`
  throw refuse('validation_failed', { detail })
}
