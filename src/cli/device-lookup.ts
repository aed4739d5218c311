import type { ConnectorKind } from '../connectors/connector.ts'
import { connectorKinds, loadConnectorKind } from '../connectors/registry.ts'
import { type ListedDevice, listDevices } from '../devices/list-devices.ts'
import { nearestName } from '../nearest-name.ts'
import type { Db } from '../storage/dialect.ts'
import { CommandError, UsageError } from './command-errors.ts'

export const deviceArgument = { name: 'device', says: 'Id of the device: dev_…' } as const

/** The device of that id. Refuses one that is not there, or was removed. */
export async function findDevice(read: Db, deviceId: string): Promise<ListedDevice> {
  const [found] = (await listDevices(read, { deviceId }, { afterId: null, limit: 1 })).devices
  if (found === undefined)
    throw new CommandError('not_found', `There is no device ${deviceId}; onesixty device list shows them.`)
  return found
}

/** The kind of that name. Refuses one that this version does not know. */
export async function loadKind(kind: string): Promise<ConnectorKind> {
  const loaded = await loadConnectorKind(kind)
  if (loaded !== null) return loaded
  const meant = nearestName(kind, connectorKinds)
  throw new UsageError(
    `There is no kind of device '${kind}'${meant === null ? `; the kinds are ${connectorKinds.join(', ')}.` : `. Did you mean '${meant}'?`}`,
  )
}
