import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { readAddressList } from '../../../runtime/address-list.ts'
import { loopback, sameNetwork } from '../../../runtime/private-addresses.ts'
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
  return isIP(host) !== 0 && !near.includes(host) ? null : { host, port: Number(port) }
}

/** Private, link-local and loopback addresses: a password in clear text goes no further. */
const near = readAddressList([...sameNetwork, ...loopback])

/**
 * Returns the URL of a Local Server by a literal address. A name is resolved for each call. Throws `VisitFailed`
 * when it has no address, or one that is neither private nor local.
 */
export async function originOf({ host, port }: LocalAddress): Promise<string> {
  const address = isIP(host) === 0 ? await resolve(host) : host
  if (address === null) throw new VisitFailed('unreachable', `${host} has no address`)
  if (!near.includes(address)) throw new VisitFailed('address_not_private')
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`
}

const resolve = (host: string): Promise<string | null> =>
  lookup(host).then(
    ({ address }) => address,
    () => null,
  )
