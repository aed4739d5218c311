import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { AddressGuard } from './address-guard.ts'

/** All addresses that a host leads to, in the order in which they are tried. Throws when there are none. */
export type FindAddresses = (host: string) => Promise<readonly string[]>

const resolveTimeoutMs = 4_000

/**
 * Asks the name servers itself, since the machine's own look-up holds one of four threads for as long as a name server is silent. Names without a dot
 * and those that the operator allowed are found as the machine finds them: by its file of hosts, or what its network calls its own.
 */
export function createFindAddresses(guard: Pick<AddressGuard, 'trusts'>): FindAddresses {
  return async (host) => {
    if (isIP(host) !== 0) return [host]
    // A dot at the end says that nothing follows: the machine's look-up may not know its own names so.
    const plain = host.replace(/\.$/, '')
    if (guard.trusts(host) || !plain.includes('.'))
      return (await lookup(plain, { all: true, order: 'ipv4first' })).map(({ address }) => address)
    const resolver = new Resolver({ timeout: resolveTimeoutMs, tries: 2 })
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = [v4, v6].flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason
    return found
  }
}
