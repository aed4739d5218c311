import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { VisitFailed } from './visit-failed.ts'

/** The app's own default. */
export const defaultPort = 8080
const hostForm =
  /^(?:\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)(?::(\d{1,5}))?$/

/** The address of a Local Server. */
export interface LocalAddress {
  /** A name or a literal address, without brackets. */
  host: string
  port: number
}

/** Parses `host[:port]`; null for anything else, and for a literal address that is neither private nor local. */
export function readLocalAddress(text: string): LocalAddress | null {
  const [, port = String(defaultPort)] = hostForm.exec(text) ?? []
  const host = text.replace(/:\d{1,5}$/, '').replaceAll(/[[\]]/g, '')
  const isNumber = /^[\d.]+$/.test(host)
  const isWrong = !hostForm.test(text) || Number(port) < 1 || Number(port) > 65_535
  if (isWrong || (isNumber && isIP(host) === 0)) return null
  return isIP(host) !== 0 && !isNearAddress(host) ? null : { host, port: Number(port) }
}

const near = new BlockList()
// RFC 1918, RFC 3927, RFC 1122 section 3.2.1.3; RFC 4193, RFC 4291.
for (const [network, bits] of [['10.0.0.0', 8], ['172.16.0.0', 12], ['192.168.0.0', 16], ['169.254.0.0', 16], ['127.0.0.0', 8]] as const) near.addSubnet(network, bits, 'ipv4') // prettier-ignore
for (const [network, bits] of [
  ['fc00::', 7],
  ['fe80::', 10],
  ['::1', 128],
] as const)
  near.addSubnet(network, bits, 'ipv6')

/** Returns whether a literal address is private, link-local or loopback: a password in clear text goes no further. */
const isNearAddress = (address: string): boolean =>
  isIP(address) !== 0 && near.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * Returns the URL of a Local Server by a literal address. A name is resolved for each call. Throws `VisitFailed`
 * when it has no address, or one that is neither private nor local.
 */
export async function originOf({ host, port }: LocalAddress): Promise<string> {
  const address = isIP(host) === 0 ? await resolve(host) : host
  if (address === null) throw new VisitFailed('unreachable', `${host} has no address`)
  if (!isNearAddress(address)) throw new VisitFailed('address_not_private')
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`
}

const resolve = (host: string): Promise<string | null> =>
  lookup(host).then(
    ({ address }) => address,
    () => null,
  )
