import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import { addressFault, readAddressList } from '../accounts/keys/address-list.ts'

/** The address that a request came from. */
export type RemoteAddress = (request: IncomingMessage) => string

/**
 * Reads the address of the client: the one of the socket, or, if that is a trusted proxy, the nearest address in X-Forwarded-For
 * that is not one. Throws when `trustedProxies` holds what is no address or CIDR.
 */
export function createRemoteAddress(trustedProxies: readonly string[]): RemoteAddress {
  const faults = trustedProxies.map(addressFault).filter((fault) => fault !== null)
  if (faults.length > 0) throw new Error(`ONESIXTY_TRUSTED_PROXIES: ${faults.join(' ')}`)
  if (trustedProxies.length === 0) return socketAddress
  const trusted = readAddressList(trustedProxies)
  return (request) => {
    let address = socketAddress(request)
    // Each proxy appends who spoke to it; what stands left of an untrusted address is hearsay.
    for (const hop of forwardedHops(request).toReversed()) {
      if (!trusted.includes(address)) break
      const next = plainAddress(hop)
      if (next === null) break
      address = next
    }
    return address
  }
}

/** Whether the request comes from this machine itself, and not through a proxy on it. */
export const isLocal = (request: IncomingMessage): boolean =>
  loopback.includes(socketAddress(request)) && !isProxied(request)

/** Whether a proxy says that it passed the request on. */
export const isProxied = ({ headers }: IncomingMessage): boolean =>
  headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers.via !== undefined

/** What failures are counted by: an IPv4 address, or the /64 that one IPv6 customer is given. */
export const networkOf = (address: string): string =>
  isIPv6(address) ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address

/** The /48 around it, which one IPv6 site may be given (RFC 6177) and which has 65,536 of these networks; null for IPv4. */
export const siteOf = (address: string): string | null =>
  isIPv6(address) ? `${groupsOf(address).slice(0, 3).join(':')}::/48` : null

/** The groups of an IPv6 address, as far as they are before the end of a `::`. */
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

const socketAddress = (request: IncomingMessage): string => withoutMapping(request.socket.remoteAddress ?? '')

const forwardedHops = (request: IncomingMessage): string[] => {
  const value = request.headers['x-forwarded-for']
  return value === undefined ? [] : String(value).split(',')
}

/** Some proxies write a port behind the address, or brackets around an IPv6 one. */
const plainAddress = (hop: string): string | null => {
  const bare = hop.trim().replace(/^\[(.+)\](?::\d+)?$/, '$1')
  const address = isIP(bare) === 0 ? bare.replace(/:\d+$/, '') : bare
  return isIP(address) === 0 ? null : withoutMapping(address)
}

const withoutMapping = (address: string): string =>
  address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address
