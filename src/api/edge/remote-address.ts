import { isIP, isIPv6 } from 'node:net'
import { addressFault, readAddressList } from '../../runtime/address-list.ts'
import type { RequestHead } from './handled-request.ts'

type Addressed = Pick<RequestHead, 'headers' | 'socket'>

/** Returns the IP address of the client. */
export type RemoteAddress = (request: Addressed) => string

/**
 * Creates the function that reads the client address: the address of the socket, or, if that is a trusted
 * proxy, the nearest address in X-Forwarded-For that is not one. Throws when an entry of `trustedProxies` is
 * not an address or CIDR range.
 */
export function createRemoteAddress(trustedProxies: readonly string[]): RemoteAddress {
  const faults = trustedProxies.map(addressFault).filter((fault) => fault !== null)
  if (faults.length > 0) throw new Error(`ONESIXTY_TRUSTED_PROXIES: ${faults.join(' ')}`)
  if (trustedProxies.length === 0) return socketAddress
  const trusted = readAddressList(trustedProxies)
  return (request) => {
    let address = socketAddress(request)
    // Each proxy appends the address that connected to it. What an untrusted address added itself is not
    // trusted.
    for (const hop of forwardedHops(request).toReversed()) {
      if (!trusted.includes(address)) break
      const next = plainAddress(hop)
      if (next === null) break
      address = next
    }
    return address
  }
}

/** Returns whether the request comes from this machine, and not through a proxy on it. */
export const isLocal = (request: Addressed): boolean =>
  loopback.includes(socketAddress(request)) && !isProxied(request)

/** Returns whether a proxy marked the request as forwarded. */
export const isProxied = ({ headers }: Addressed): boolean =>
  headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers.via !== undefined

/**
 * How a request came: directly, through a proxy that is trusted and names its client, or through one that is not, so that
 * its address stands for all its clients.
 */
export type Passage = 'direct' | 'trusted_proxy' | 'unknown_proxy'

/** Returns how a request came, as far as its headers show: a proxy may add none. */
export const passageOf = (request: Addressed, remoteAddress: RemoteAddress): Passage => {
  if (!isProxied(request)) return 'direct'
  return remoteAddress(request) === socketAddress(request) ? 'unknown_proxy' : 'trusted_proxy'
}

/** Returns the network by which failures are counted: an IPv4 address, or the /64 of an IPv6 customer. */
export const networkOf = (address: string): string =>
  isIPv6(address) ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address

/**
 * Returns the /48 around the network, which one IPv6 site can have (RFC 6177) and which contains 65,536 such
 * networks; null for IPv4.
 */
export const siteOf = (address: string): string | null =>
  isIPv6(address) ? `${groupsOf(address).slice(0, 3).join(':')}::/48` : null

/** Returns the groups of an IPv6 address, up to the end of a `::`. */
const groupsOf = (address: string): string[] => {
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length
    while (groups.length + after < 8) groups.push('0')
  }
  return groups
}

const loopback = readAddressList(['127.0.0.0/8', '::1'])

const socketAddress = (request: Addressed): string => withoutMapping(request.socket.remoteAddress ?? '')

const forwardedHops = (request: Addressed): string[] => {
  const value = request.headers['x-forwarded-for']
  return value === undefined ? [] : String(value).split(',')
}

/** Some proxies add a port to the address, or brackets around an IPv6 address. */
const plainAddress = (hop: string): string | null => {
  const bare = hop.trim().replace(/^\[(.+)\](?::\d+)?$/, '$1')
  const address = isIP(bare) === 0 ? bare.replace(/:\d+$/, '') : bare
  return isIP(address) === 0 ? null : withoutMapping(address)
}

const withoutMapping = (address: string): string =>
  address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address
