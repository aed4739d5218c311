import { refuse } from '../../runtime/errors.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { readJson } from '../../storage/tables/json-columns.ts'
import { setDevice } from '../core/device-store.ts'
import { mintPhoneToken, type PhoneTokenOwner, revokeTokensOfPhone } from './phone-tokens.ts'
import { addRegistration, type PhoneDeps, registerPhone, type SaidOfPhone } from './registered-phones.ts'

/** Where and how a phone is visited. */
export interface VisitedAt {
  /** Address, user and ID of the installation. */
  settings: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
}

/**
 * Adds a phone that is visited, as a new device, and returns its ID. Its registration has a token that nothing
 * knows, so it is used in this process alone. Rejects a device beyond the owner's maximum.
 */
export async function addVisitedPhone(
  tx: Tx,
  deps: PhoneDeps,
  owner: PhoneTokenOwner & { actor: string },
  { at, reported }: { at: VisitedAt; reported: SaidOfPhone },
): Promise<string> {
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
 * gets a registration of its own, so that nothing that the former one was offered is ever submitted to it.
 * Rejects a device that is no phone.
 */
export async function reconnectVisitedPhone(
  tx: Tx,
  deps: PhoneDeps,
  deviceId: string,
  { at, reported, actor }: { at: VisitedAt; reported: SaidOfPhone; actor: string },
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
  await setDevice(tx, deps, { deviceId, ...at, actor })
  if (before === at.settings['local_id']) return
  const { phoneId } = await addRegistration(tx, deps, {
    deviceId,
    tokenId: row.token_id,
    formerId: row.id,
    reported,
  })
  const detail = { deviceId, phoneId, tokenId: row.token_id, supersedes: row.id }
  await appendAudit(tx, deps, { accountId: row.account_id, actor, action: 'phone.registered', detail })
}
