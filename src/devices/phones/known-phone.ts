import { createHash, createHmac } from 'node:crypto'
import { type JsonText, readJson, type SimOfPhone } from '../../storage/tables/json-columns.ts'
import type { SecretBox } from '../../runtime/secret-box.ts'
import type { Db, SelectEach } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { simSetting, simSlots } from '../core/sim-number.ts'

/** A registration, with what its routes need. */
export interface KnownPhone {
  phoneId: string
  deviceId: string
  accountName: string
  signingKey: string
  /** The same as it is stored. */
  sealedKey: string
  hookSecret: string
  appVersion: string | null
  usesPush: boolean
  /** Null: an old app that does not report them. */
  sims: readonly SimOfPhone[] | null
  /** Numbers of its SIMs as set, by slot from 1; null where none was. */
  simNumbers: readonly (string | null)[]
  /** The country whose national numbers its SIMs have; null if not set. */
  country: string | null
  /** Its token was used before. */
  isTokenUsed: boolean
  /** Since when its device exists. */
  deviceSince: number
  /** The installation of the app, for a device that is visited. */
  localId: string | null
}

/** What a phone is found by; by its device only where the service itself asks. */
export type ShownPhone = { deviceToken: string } | { hookSecret: string } | { deviceId: string }

/** The registration of a device is the one that was not superseded. */
const findingBy = (column: 'device_id' | 'token_hash' | 'hook_hash'): SelectEach => ({
  sql: `select p.id, p.device_id, p.signing_key, p.app_version, p.uses_push, p.sims, p.heard_at, d.settings, d.created_at, a.name, a.state
        from phones p join devices d on d.id = p.device_id left join accounts a on a.id = d.account_id
        where p.${column} = :shown and p.superseded_at is null and d.state <> 'retired'`,
  inputs: ['shown'],
})

const byDevice = findingBy('device_id')
const byToken = findingBy('token_hash')
const byHook = findingBy('hook_hash')

const conditionOf = (shown: ShownPhone): [SelectEach, string] => {
  if ('deviceId' in shown) return [byDevice, shown.deviceId]
  return 'deviceToken' in shown
    ? [byToken, hashOfSecret(shown.deviceToken)]
    : [byHook, hashOfSecret(shown.hookSecret)]
}

interface PhoneRow {
  id: string
  device_id: string
  signing_key: string
  app_version: string | null
  uses_push: 0 | 1
  sims: JsonText<readonly SimOfPhone[] | null>
  heard_at: number | null
  settings: JsonText<Record<string, string>>
  created_at: number
  name: string | null
  state: string | null
}

/**
 * Returns the phone of a token, hook secret or device; null if it is not valid any more: superseded, its device
 * retired, its account closed, or its key sealed under a retired secret. A rejected app registers again. `last`:
 * the same as it was found before, whose key is not opened again.
 */
export async function findPhone(
  db: Db,
  { secretBox }: { secretBox: SecretBox },
  shown: ShownPhone,
  last: KnownPhone | null = null,
): Promise<KnownPhone | null> {
  const [statement, value] = conditionOf(shown)
  const [row] = await selectEach<PhoneRow>(db, statement, [[value]])
  if (row === undefined || row.state === 'closed' || !secretBox.canOpen(row.signing_key)) return null
  const settings = readJson(row.settings)
  return {
    phoneId: row.id,
    deviceId: row.device_id,
    accountName: row.name ?? 'shared',
    ...secretsOf(row, secretBox, last),
    appVersion: row.app_version,
    usesPush: row.uses_push === 1,
    sims: readJson(row.sims),
    simNumbers: simSlots.map((slot) => settings[simSetting(slot)] || null),
    country: settings['country'] || null,
    isTokenUsed: row.heard_at !== null,
    deviceSince: row.created_at,
    localId: settings['local_id'] || null,
  }
}

type Secrets = Pick<KnownPhone, 'signingKey' | 'sealedKey' | 'hookSecret'>

/** A phone that asks every few seconds is found each time, and its key changes only with its registration. */
function secretsOf(
  { id, signing_key: sealedKey }: PhoneRow,
  secretBox: SecretBox,
  last: KnownPhone | null,
): Secrets {
  if (last?.phoneId === id && last.sealedKey === sealedKey)
    return { signingKey: last.signingKey, sealedKey, hookSecret: last.hookSecret }
  const signingKey = secretBox.open(sealedKey, id)
  return { signingKey, sealedKey, hookSecret: hookSecretOf(signingKey, id) }
}

/**
 * The secret in the path of the addresses that a phone calls: derived from its own key, which survives a
 * change of the instance's secret.
 */
export const hookSecretOf = (signingKey: string, phoneId: string): string =>
  createHmac('sha256', signingKey).update(`hooks of ${phoneId}`).digest('base64url')

/** How tokens and hook secrets are stored. */
export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')
