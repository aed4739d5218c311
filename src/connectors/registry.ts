import type { ConnectorKind } from './connector.ts'

/** The kinds of devices. Loaded when first needed, so that a start pays only for what is used. */
const loaders: Readonly<Record<string, () => Promise<ConnectorKind>>> = {
  simulator: async () => (await import('./simulator/simulator.ts')).simulatorKind,
  android: async () => (await import('./android/android.ts')).androidKind,
  smpp: async () => (await import('./smpp/smpp.ts')).smppKind,
}

export const connectorKinds: readonly string[] = Object.keys(loaders)

/** The kind of that name, or null when this version does not know it. */
export async function loadConnectorKind(kind: string): Promise<ConnectorKind | null> {
  const load = Object.hasOwn(loaders, kind) ? loaders[kind] : undefined
  return load === undefined ? null : load()
}
