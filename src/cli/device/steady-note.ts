import type { ConnectorKind } from '../../connectors/connector.ts'
import { factsOf } from '../../connectors/registry.ts'

/** Returns a note where a device has a port whose path changes when it is plugged in again, with the path that does not. */
export async function noteUnsteadyPort(
  { kind, ports }: Pick<ConnectorKind, 'kind' | 'ports'>,
  settings: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { portSetting } = factsOf(kind) ?? {}
  const path = portSetting === undefined ? undefined : settings[portSetting]
  if (ports === undefined || path === undefined || !path.startsWith('/')) return []
  // The device is added: what its system does not say about ports is no fault of it.
  const listed = await ports.list().catch(() => null)
  const found = listed?.ports.find(({ node }) => node === path)
  if (found === undefined || found.path === path) return []
  return [`The path ${path} may change when it is plugged in again. Its steady path is ${found.path}.`]
}
