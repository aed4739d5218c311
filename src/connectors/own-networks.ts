import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

/** A /22 has 1,022 addresses, which take 11 s. */
const leastPrefix = 22

export interface OwnNetworks {
  /** `192.168.1.0/24`, each once. */
  asked: string[]
  /** Too large to ask all of. */
  tooLarge: string[]
  /** All other addresses of those networks. */
  hosts: string[]
}

/** Returns the networks that this machine is in now. */
export const machineNetworks = (): OwnNetworks => ownNetworks(networkInterfaces())

/** Returns the IPv4 networks of this machine, without loopback, and the addresses in them. */
export function ownNetworks(
  interfaces: Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>,
): OwnNetworks {
  const own = Object.values(interfaces).flatMap((each) => each ?? [])
  const found: OwnNetworks = { asked: [], tooLarge: [], hosts: [] }
  const ownAddresses = new Set(own.map(({ address }) => address))
  for (const { family, internal, cidr, address } of own) {
    if (family !== 'IPv4' || internal || cidr === null) continue
    const prefix = Number(cidr.split('/')[1])
    const size = 2 ** (32 - prefix)
    const first = Math.floor(numberOf(address) / size) * size
    const network = `${textOf(first)}/${prefix}`
    if (found.asked.includes(network) || found.tooLarge.includes(network)) continue
    if (prefix < leastPrefix) found.tooLarge.push(network)
    else {
      found.asked.push(network)
      for (let host = first + 1; host < first + size - 1; host++)
        if (!ownAddresses.has(textOf(host))) found.hosts.push(textOf(host))
    }
  }
  return found
}

const numberOf = (address: string): number =>
  address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0)

const textOf = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
