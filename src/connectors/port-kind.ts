import type { ConnectorKind } from './connector.ts'
import type { FoundPorts, PortDevices } from './connector-tools.ts'
import { addedKinds, factsOf, loadConnectorKind } from './registry.ts'

/** The kind whose devices are at ports of a machine. */
export type PortKind = Pick<ConnectorKind, 'kind'> & { ports: PortDevices }

/** Loads it. */
export async function loadPortKind(): Promise<PortKind> {
  const named = addedKinds.find((kind) => factsOf(kind)?.portSetting !== undefined) ?? ''
  const loaded = await loadConnectorKind(named)
  if (loaded?.ports === undefined) throw new Error('no kind of device is at ports')
  return { kind: loaded.kind, ports: loaded.ports }
}

/** Lists the serial ports of this machine, and opens none; none where its system has no files about them and the package that asks it is missing. */
export async function machinePorts(): Promise<FoundPorts> {
  const { ports } = await loadPortKind()
  return ports.list().catch(() => ({ ports: [], withoutPort: [], knowsHolders: false }))
}
