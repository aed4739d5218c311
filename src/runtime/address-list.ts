import { BlockList, isIP } from 'node:net'

/** A list of addresses: literals and CIDRs. */
export interface AddressList {
  includes(address: string): boolean
}

/** Returns the fault of an entry, or null: an IPv4 or IPv6 address, with or without a prefix length. */
export function addressFault(entry: string): string | null {
  const [address = '', prefix, ...rest] = entry.split('/')
  const family = isIP(address)
  if (family === 0 || address.includes('%') || rest.length > 0)
    return `'${entry}' is not an IP address or CIDR.`
  if (prefix === undefined) return null
  const longest = family === 4 ? 32 : 128
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= longest
    ? null
    : `'${entry}' needs a prefix length from 0 to ${longest}.`
}

/**
 * Builds a list of entries that `addressFault` accepted. IPv4 addresses also match in their IPv6-mapped form.
 */
export function readAddressList(entries: readonly string[]): AddressList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return {
    includes(address) {
      const plain =
        address.toLowerCase().startsWith('::ffff:') && isIP(address.slice(7)) === 4
          ? address.slice(7)
          : address
      const family = isIP(plain)
      return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
    },
  }
}
