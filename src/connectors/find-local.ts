import { networkInterfaces } from 'node:os'
import type { Clock } from '../runtime/clock.ts'
import type { ConnectorKind } from './connector.ts'
import { ownNetworks } from './own-networks.ts'

/** Phones with an open Local Server, and which addresses were asked. */
export interface FoundLocal {
  phones: { address: string; appVersion: string }[]
  asked: number
  networks: string[]
  /** Networks that were not asked, because they are too large. */
  tooLarge: string[]
}

/** Asks each address of this machine's own IPv4 networks whether the app answers there. Sends no secret. */
export async function findLocal(
  { local }: { local: NonNullable<ConnectorKind['local']> },
  clock: Clock,
  port = local.defaultPort,
): Promise<FoundLocal> {
  const { asked: networks, tooLarge, hosts } = ownNetworks(networkInterfaces())
  const phones = await local.find(
    hosts.map((host) => `${host}:${port}`),
    clock,
  )
  return { phones, asked: hosts.length, networks, tooLarge }
}
