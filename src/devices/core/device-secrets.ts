import type { SecretBox } from '../../runtime/secret-box.ts'
import type { DeviceTable } from '../../storage/tables/device-tables.ts'

/** Returns the secrets of a device in clear text, for its connector. */
export function openDeviceSecrets(
  secretBox: SecretBox,
  row: Pick<DeviceTable, 'id' | 'secrets'>,
): Readonly<Record<string, string>> {
  return row.secrets === null
    ? {}
    : (JSON.parse(secretBox.open(row.secrets, row.id)) as Record<string, string>)
}

/** Seals the secrets of a device, bound to it; null where there are none. */
export const sealDeviceSecrets = (
  secretBox: SecretBox,
  deviceId: string,
  secrets: Readonly<Record<string, string>>,
): string | null =>
  Object.keys(secrets).length === 0 ? null : secretBox.seal(JSON.stringify(secrets), deviceId)

/**
 * Merges further secrets into those of a device, and seals them. What was sealed under a retired secret is lost (`secret accept`): then only the new values
 * are kept.
 */
export function mergeDeviceSecrets(
  secretBox: SecretBox,
  row: Pick<DeviceTable, 'id' | 'secrets'>,
  secrets: Readonly<Record<string, string>>,
): DeviceTable['secrets'] {
  if (Object.keys(secrets).length === 0) return row.secrets
  const isLost = row.secrets !== null && !secretBox.canOpen(row.secrets)
  const present = isLost ? {} : openDeviceSecrets(secretBox, row)
  return sealDeviceSecrets(secretBox, row.id, { ...present, ...secrets })
}
