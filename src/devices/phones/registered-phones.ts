import type { Ids } from '../../runtime/ids.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { addDevice, type Pace } from '../core/device-store.ts'
import { findPhoneToken, type PhoneTokenOwner } from './phone-tokens.ts'
import type { DeviceRules } from '../core/device-rules.ts'
import type { SecretBox } from '../../runtime/secret-box.ts'
import { hashOfSecret, hookSecretOf } from './known-phone.ts'
import { type SimOfPhone, writeJson } from '../../storage/tables/json-columns.ts'

/** What an app reports about itself. What it omits is null. */
export interface SaidOfPhone {
  /** `<manufacturer>/<product>` */
  name: string | null
  sims: readonly SimOfPhone[] | null
  usesPush: boolean
  appVersion: string | null
}

export interface PhoneDeps {
  ids: Ids
  nowMs: number
  secretBox: SecretBox
  /** The kind that phones register as, and what it accepts. */
  kind: string
  rules: DeviceRules
  randomBytes: (count: number) => Uint8Array
  /** Whether the app of a device made contact just now, or is connected: then it is not the one that registers. */
  isPresent: (deviceId: string) => boolean
  /** Maximum phones per owner; 0 means no limit. */
  maxPhones: number
}

export interface RegisteredPhone {
  phoneId: string
  deviceId: string
  /** In clear text, only once. */
  deviceToken: string
}

const actor = 'phone'
/** What carriers and Android tolerate: with more, messages are dropped or Android asks the user. */
const defaultPace: Pace = { partsPerWindow: 30, windowSeconds: 1_800 }
const maxNameLength = 100
/** A phone that made contact within this time is not the one that registers. */
export const goneMs = 60_000

/**
 * Registers a phone that presents a private token. If the app of a known phone was reinstalled, its device
 * gets the new token, and the old one becomes invalid. Null for an unknown private token. Rejects a new
 * device beyond the owner's maximum.
 */
export async function registerPhone(
  tx: Tx,
  deps: PhoneDeps,
  privateToken: string,
  reported: SaidOfPhone,
): Promise<RegisteredPhone | null> {
  const owner = await findPhoneToken(tx, privateToken)
  if (owner === null) return null
  const former = await findFormer(tx, deps, owner, reported)
  const deviceId = former?.deviceId ?? (await addPhoneDevice(tx, deps, owner, reported))
  const { tokenId } = owner
  const formerId = former?.phoneId ?? null
  const { phoneId, deviceToken } = await addRegistration(tx, deps, { deviceId, tokenId, formerId, reported })
  await tx.updateTable('phone_tokens').set({ last_used_at: deps.nowMs }).where('id', '=', tokenId).execute()
  const detail = { deviceId, phoneId, tokenId, supersedes: formerId }
  await appendAudit(tx, deps, { accountId: owner.accountId, actor, action: 'phone.registered', detail })
  return { phoneId, deviceId, deviceToken }
}

/** Adds the registration of an app, which supersedes its former one. */
export async function addRegistration(
  tx: Tx,
  deps: Pick<PhoneDeps, 'ids' | 'nowMs' | 'randomBytes' | 'secretBox'>,
  {
    deviceId,
    tokenId,
    formerId,
    reported,
  }: { deviceId: string; tokenId: string; formerId: string | null; reported: SaidOfPhone },
): Promise<Pick<RegisteredPhone, 'phoneId' | 'deviceToken'>> {
  if (formerId !== null)
    await tx
      .updateTable('phones')
      .set({ superseded_at: deps.nowMs, signing_key: '' })
      .where('id', '=', formerId)
      .execute()
  const phoneId = deps.ids('phn')
  const deviceToken = Buffer.from(deps.randomBytes(32)).toString('base64url')
  const signingKey = Buffer.from(deps.randomBytes(24)).toString('base64url')
  await tx
    .insertInto('phones')
    .values({
      id: phoneId,
      device_id: deviceId,
      token_id: tokenId,
      token_hash: hashOfSecret(deviceToken),
      hook_hash: hashOfSecret(hookSecretOf(signingKey, phoneId)),
      signing_key: deps.secretBox.seal(signingKey, phoneId),
      name: reported.name ?? '',
      sims: writeJson(reported.sims),
      app_version: reported.appVersion,
      uses_push: reported.usesPush ? 1 : 0,
      created_at: deps.nowMs,
      updated_at: deps.nowMs,
    })
    .execute()
  return { phoneId, deviceToken }
}

/** Stores what an app reports at its start. An update without a push token means that there is none (any more). */
export async function updatePhone(
  tx: Tx,
  nowMs: number,
  phoneId: string,
  reported: SaidOfPhone,
): Promise<void> {
  await tx
    .updateTable('phones')
    .set({
      uses_push: reported.usesPush ? 1 : 0,
      updated_at: nowMs,
      ...(reported.sims === null ? {} : { sims: writeJson(reported.sims) }),
      ...(reported.appVersion === null ? {} : { app_version: reported.appVersion }),
    })
    .where('id', '=', phoneId)
    .execute()
}

/** Records that the phone has its token: a later registration is another phone, or a later reinstall. */
export async function markTokenUsed(tx: Tx, nowMs: number, phoneId: string): Promise<void> {
  await tx
    .updateTable('phones')
    .set({ heard_at: nowMs })
    .where('id', '=', phoneId)
    .where('heard_at', 'is', null)
    .execute()
}

/**
 * Finds the registration that this one replaces: by the same private token, of the same model with the same
 * SIMs, and without contact for a minute, since a reinstall takes longer. One whose token was never used is
 * replaced within the minute too: its response was lost, and this is the next attempt. Without a SIM two
 * phones of one model cannot be distinguished, so it is a new one.
 */
async function findFormer(
  tx: Tx,
  { isPresent, nowMs }: Pick<PhoneDeps, 'isPresent' | 'nowMs'>,
  { tokenId }: { tokenId: string },
  { name, sims }: SaidOfPhone,
): Promise<{ phoneId: string; deviceId: string } | null> {
  if (name === null || sims === null || !sims.some(({ iccid }) => iccid !== null)) return null
  const rows = await tx
    .selectFrom('phones as p')
    .innerJoin('devices as d', 'd.id', 'p.device_id')
    .select(['p.id', 'p.device_id', 'p.created_at'])
    .where('p.token_id', '=', tokenId)
    .where('p.superseded_at', 'is', null)
    .where('p.name', '=', name)
    .where('p.sims', '=', JSON.stringify(sims))
    .where(({ or, eb }) => or([eb('p.created_at', '<=', nowMs - goneMs), eb('p.heard_at', 'is', null)]))
    .where('d.state', '!=', 'retired')
    .orderBy('p.created_at', 'desc')
    .execute()
  const found = rows.find((row) => row.created_at > nowMs - goneMs || !isPresent(row.device_id))
  return found === undefined ? null : { phoneId: found.id, deviceId: found.device_id }
}

async function addPhoneDevice(
  tx: Tx,
  deps: PhoneDeps,
  { accountId, mode }: PhoneTokenOwner,
  { name }: SaidOfPhone,
): Promise<string> {
  await refuseTooManyPhones(tx, deps, accountId)
  const readable = (name ?? '').replaceAll(/[^\p{L}\p{N}.()+-]+/gu, ' ').trim()
  return addDevice(tx, deps, {
    accountId,
    mode,
    kind: deps.kind,
    name: readable.slice(0, maxNameLength) || 'Android phone',
    pace: defaultPace,
    actor,
  })
}

async function refuseTooManyPhones(
  tx: Tx,
  { maxPhones, kind }: Pick<PhoneDeps, 'maxPhones' | 'kind'>,
  accountId: string | null,
): Promise<void> {
  if (maxPhones === 0) return
  const { phones } = await tx
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number>().as('phones'))
    .where('account_id', accountId === null ? 'is' : '=', accountId)
    .where('kind', '=', kind)
    .where('state', '!=', 'retired')
    .executeTakeFirstOrThrow()
  if (phones < maxPhones) return
  const detail = `Maximum of ${maxPhones} phones reached (ONESIXTY_PHONES_PER_ACCOUNT). Remove one first.`
  throw invalidInput([{ code: 'too_many_items', detail }])
}
