import type { ConnectorKind } from '../../connectors/connector.ts'
import { connectorKinds, loadConnectorKind } from '../../connectors/registry.ts'
import { type ListedDevice, listDevices } from '../../devices/status/list-devices.ts'
import { nearestName } from '../../runtime/nearest-name.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { CommandError, UsageError } from '../core/command-errors.ts'
import { ownCommand } from '../../process/own-command.ts'

export const deviceArgument = { name: 'device', summary: 'Device ID: dev_…' } as const

/** Returns the device with this ID. Throws when it does not exist or was removed. */
export async function findDevice(read: Db, deviceId: string): Promise<ListedDevice> {
  const [found] = (await listDevices(read, { deviceId }, { afterId: null, limit: 1 })).devices
  if (found === undefined)
    throw new CommandError(
      'not_found',
      `Device ${deviceId} not found. List devices with ${ownCommand()} device list.`,
    )
  return found
}

/** Returns the connector of this kind. Throws when this version does not have it. */
export async function loadKind(kind: string): Promise<ConnectorKind> {
  const loaded = await loadConnectorKind(kind)
  if (loaded !== null) return loaded
  const meant = nearestName(kind, connectorKinds)
  throw new UsageError(
    `Unknown kind of device '${kind}'. ${meant === null ? `Available: ${connectorKinds.join(', ')}.` : `Did you mean '${meant}'?`}`,
  )
}
