import type { Clock } from '../runtime/clock.ts'
import { reportLifetimeMs } from '../devices/status/device-report.ts'
import { openDeviceSecrets } from '../devices/core/device-store.ts'
import type { ListedDevice } from '../devices/status/list-devices.ts'
import type { SecretBox } from '../runtime/secret-box.ts'
import type { Db } from '../storage/seam/dialect.ts'
import type { ConnectorKind, Trial } from './connector.ts'

interface TrialDeps {
  read: Db
  clock: Clock
  secretBox: SecretBox
}

/**
 * Tries whether the peer of a device lets us in, and sends nothing. Null when there is nothing to try: no peer, settings that do not fit, or a
 * link that is bound now, as its server has just said, since many providers count sessions.
 */
export async function tryDevice(
  { read, clock, secretBox }: TrialDeps,
  device: ListedDevice,
  kind: ConnectorKind | null,
): Promise<Trial | null> {
  if (kind?.tryOut === undefined || settingTroubles(device, kind).length > 0) return null
  const { report } = device
  const isFresh = report !== null && clock.now() - report.reportedAt < reportLifetimeMs
  // One that the breaker keeps off, or that only receives, is offline and bound all the same.
  const isBound = report?.body.link === 'session' || ['online', 'degraded'].includes(report?.status ?? '')
  if (isFresh && isBound) return null
  const row = await read
    .selectFrom('devices')
    .select(['id', 'secrets'])
    .where('id', '=', device.id)
    .executeTakeFirstOrThrow()
  const setup = {
    id: device.id,
    name: device.name,
    settings: device.settings,
    secrets: openDeviceSecrets(secretBox, row),
  }
  return kind.tryOut(setup, {
    now: clock.now,
    monotonicMs: clock.monotonicMs,
    schedule: clock.schedule,
    random: Math.random,
    log: () => undefined,
  })
}

/** What of its settings is not as its kind takes it; a device that was added by another version may have such. */
export function settingTroubles(
  device: Pick<ListedDevice, 'settings' | 'hasSecrets'>,
  kind: Pick<ConnectorKind, 'settings' | 'requiredSecrets'>,
): string[] {
  const troubles = Object.entries(device.settings).flatMap(([name, value]) => {
    const rule = kind.settings.find((known) => known.name === name)
    const fault = rule === undefined ? 'is not a setting of this kind' : rule.check(value)
    return fault === null ? [] : [`${name} ${fault}`]
  })
  for (const { name, required } of kind.settings)
    if (required && device.settings[name] === undefined) troubles.push(`${name} is missing`)
  if ((kind.requiredSecrets ?? []).length > 0 && !device.hasSecrets) troubles.push('its secrets are missing')
  return troubles
}
