import type { Clock } from '../runtime/clock.ts'
import { reportLifetimeMs } from '../devices/status/device-report.ts'
import { openDeviceSecrets } from '../devices/core/device-secrets.ts'
import type { ListedDevice } from '../devices/status/list-devices.ts'
import type { SecretBox } from '../runtime/secret-box.ts'
import type { Db } from '../storage/seam/dialect.ts'
import type { ConnectorKind } from './connector.ts'
import type { Outgoing } from '../outgoing/create-outgoing.ts'
import type { Trial } from './connector-tools.ts'

interface TryDeviceDeps {
  /** How the device reaches hosts that others name. Omitted: public addresses only. */
  outgoing?: Outgoing
  read: Db
  clock: Clock
  secretBox: SecretBox
}

/**
 * Tests whether the peer of a device accepts the connection, and sends nothing. Null when there is nothing to
 * test: no peer, invalid settings, or a link that is bound now by a recent report, since many providers count
 * sessions.
 */
export async function tryDevice(
  { read, clock, secretBox, outgoing }: TryDeviceDeps,
  device: ListedDevice,
  kind: ConnectorKind | null,
): Promise<Trial | null> {
  if (kind?.tryOut === undefined || settingTroubles(device, kind).length > 0) return null
  const { report } = device
  const isFresh = report !== null && clock.now() - report.reportedAt < reportLifetimeMs
  // A link that the breaker disables, or that only receives, is offline but bound.
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
    ...(outgoing !== undefined && { outgoing }),
    now: clock.now,
    monotonicMs: clock.monotonicMs,
    schedule: clock.schedule,
    random: Math.random,
    log: () => undefined,
  })
}

/** Returns which settings its kind does not accept; a device that another version added may have some. */
export function settingTroubles(
  device: Pick<ListedDevice, 'settings' | 'hasSecrets'>,
  kind: Pick<ConnectorKind, 'settings' | 'requiredSecrets' | 'rulesFor'>,
): string[] {
  const { settings, requiredSecrets } = { ...kind, ...kind.rulesFor?.(device.settings) }
  const troubles = Object.entries(device.settings).flatMap(([name, value]) => {
    const rule = settings.find((known) => known.name === name)
    const fault = rule === undefined ? 'is not a setting of this kind' : rule.check(value)
    return fault === null ? [] : [`${name} ${fault}`]
  })
  for (const { name, required } of settings)
    if (required && device.settings[name] === undefined) troubles.push(`${name} is missing`)
  if ((requiredSecrets ?? []).length > 0 && !device.hasSecrets) troubles.push('its secrets are missing')
  return troubles
}
