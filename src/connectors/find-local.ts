import type { Clock } from '../runtime/clock.ts'
import type { ConnectorKind } from './connector.ts'
import type { OwnNetworks } from './own-networks.ts'

/** Phones with an open Local Server, and which addresses were asked. */
export interface FoundLocal {
  phones: { address: string; appVersion: string }[]
  asked: number
  networks: string[]
  /** Networks that were not asked, because they are too large. */
  tooLarge: string[]
}

/** How many addresses are asked before progress is said: as many as are asked at the same time. */
const askedBetween = 64

/**
 * Asks each address of the networks of this machine whether the app answers there. Sends no secret. `progress` gets how
 * many of how many were asked.
 */
export async function findLocal(
  { local }: { local: NonNullable<ConnectorKind['local']> },
  clock: Clock,
  { asked: networks, tooLarge, hosts }: OwnNetworks,
  {
    port = local.defaultPort,
    progress,
  }: { port?: number; progress?: (asked: number, of: number) => void } = {},
): Promise<FoundLocal> {
  const phones: FoundLocal['phones'] = []
  for (let asked = 0; asked < hosts.length; asked += askedBetween) {
    progress?.(asked, hosts.length)
    const addresses = hosts.slice(asked, asked + askedBetween).map((host) => `${host}:${port}`)
    phones.push(...(await local.find(addresses, clock)))
  }
  return { phones, asked: hosts.length, networks, tooLarge }
}

/** Says what a search asked and found, as one sentence, and which networks it left out. */
export const describeSearch = ({ phones, asked, networks, tooLarge }: FoundLocal): string[] => [
  `Asked ${asked} ${asked === 1 ? 'address' : 'addresses'} of ${networks.join(', ') || 'no network'}: ${phones.length} found.`,
  ...tooLarge.map((network) => `Not asked: ${network}, which is larger than a /22.`),
]
