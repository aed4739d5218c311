import { BlockList, isIP, isIPv6 } from 'node:net'

/** Decides which addresses a request to a host that others name can connect to. */
export interface AddressGuard {
  /** True when the guard allows a connection to `address`, to which `host` resolved. */
  permits(host: string, address: string): boolean
  /**
   * True when the operator named this host, or a range that contains this address. The address of a name is then
   * resolved by the operating system, including the hosts file.
   */
  trusts(host: string): boolean
}

/**
 * IPv4 outside of the public Internet (IANA IPv4 Special-Purpose Address Registry; RFC 6890), multicast (RFC
 * 5771) and reserved ranges.
 */
const refusedIpv4 = [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24',
  '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24',
  '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4',
] as const // prettier-ignore

/**
 * In IPv6 only global unicast (2000::/3) is public. The IANA IPv6 Special-Purpose Address Registry excludes
 * some of it: protocols, Teredo and ORCHID (2001::/23), documentation, and 6to4, which contains an IPv4
 * address. Loopback, IPv4-mapped, NAT64, unique-local, link-local and multicast addresses are outside of
 * 2000::/3.
 */
const publicIpv6 = ['2000::/3'] as const
const refusedIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'] as const

/**
 * Creates the guard against server-side request forgery. Public addresses are allowed; others only where the
 * operator allows them in `setting` by CIDR range, address or host name. Throws when an entry of `allowed` is none of
 * these.
 */
export function createAddressGuard(allowed: readonly string[], setting: string): AddressGuard {
  const [refused, isPublic6, allowedAddresses] = [new BlockList(), new BlockList(), new BlockList()]
  for (const range of [...refusedIpv4, ...refusedIpv6]) addRange(refused, range, setting)
  for (const range of publicIpv6) addRange(isPublic6, range, setting)
  const allowedHosts = new Set<string>()
  for (const item of allowed) {
    if (isIP(item.split('/')[0] as string) !== 0) addRange(allowedAddresses, item, setting)
    else if (hostForm.test(item)) allowedHosts.add(plainHost(item))
    else throw new Error(`${setting}: '${item}' is not an address, CIDR range or host name.`)
  }
  return {
    trusts(host) {
      const family = familyOf(host)
      return family === null ? allowedHosts.has(plainHost(host)) : allowedAddresses.check(host, family)
    },
    permits(host, address) {
      const family = familyOf(address)
      if (family === null) return false
      if (allowedHosts.has(plainHost(host)) || allowedAddresses.check(address, family)) return true
      return family === 'ipv4'
        ? !refused.check(address, family)
        : // A mapped address is checked as the IPv4 address in it.
          isPublic6.check(address, family) && !refused.check(address, family)
    },
  }
}

const hostForm =
  /^(?=.{1,253}\.?$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i

/** Host names are compared without case, and without the final dot of an absolute name. */
const plainHost = (host: string): string => host.toLowerCase().replace(/\.$/, '')

const familyOf = (address: string): 'ipv4' | 'ipv6' | null =>
  isIPv6(address) ? 'ipv6' : isIP(address) === 4 ? 'ipv4' : null

function addRange(list: BlockList, range: string, setting: string): void {
  const [address = '', prefix] = range.split('/')
  const family = familyOf(address)
  const maxBits = family === 'ipv6' ? 128 : 32
  const bits = prefix === undefined ? maxBits : Number(prefix)
  if (family === null || (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) || bits > maxBits)
    throw new Error(`${setting}: '${range}' is not an address or CIDR range.`)
  list.addSubnet(address, bits, family)
}
