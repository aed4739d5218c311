import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { AddressGuard } from './address-guard.ts'

/** Returns the addresses of a host, in the order in which they are tried. Throws when there are none. */
export type FindAddresses = (host: string) => Promise<readonly string[]>

const resolveTimeoutMs = 4_000
/**
 * How long a permitted IPv4 address waits for IPv6 (RFC 8305, section 3: the resolution delay, for the other
 * family).
 */
const resolutionDelayMs = 50

/** The answers of the name servers for a name, by address family. */
interface Asked {
  v4: Promise<readonly string[]>
  v6: Promise<readonly string[]>
  cancel(): void
}

interface Asking {
  ask(host: string): Asked
  delay(ms: number): Promise<unknown>
}

/**
 * Queries the name servers directly, because the lookup of the operating system blocks one of four threads
 * while a name server is silent. Names without a dot, and names that the operator allowed, are resolved by
 * the operating system: by its hosts file, or its local network. A name server that is silent about IPv6
 * delays nothing where the guard permits an IPv4 address. IPv6 alone waits for IPv4: the machine may have no
 * IPv6.
 */
export function createFindAddresses(
  guard: Pick<AddressGuard, 'trusts' | 'permits'>,
  { ask, delay }: Asking = { ask: askNameServers, delay: (ms) => wait(ms, undefined, { ref: false }) },
): FindAddresses {
  return async (host) => {
    if (isIP(host) !== 0) return [host]
    // A final dot marks an absolute name. The operating system may not resolve its own names with it.
    const plain = host.replace(/\.$/, '')
    if (guard.trusts(host) || !plain.includes('.'))
      return (await lookup(plain, { all: true, order: 'ipv4first' })).map(({ address }) => address)
    const { v4, v6, cancel } = ask(host)
    const second = v6.catch((): readonly string[] => [])
    const first = await v4.catch(async (error: unknown) => {
      if ((await second).length === 0) throw error
      return []
    })
    if (!first.some((address) => guard.permits(host, address))) return [...first, ...(await second)]
    const inTime = await Promise.race([second, delay(resolutionDelayMs).then((): readonly string[] => [])])
    cancel()
    return [...first, ...inTime]
  }
}

function askNameServers(host: string): Asked {
  const resolver = new Resolver({ timeout: resolveTimeoutMs, tries: 2 })
  return { v4: resolver.resolve4(host), v6: resolver.resolve6(host), cancel: () => resolver.cancel() }
}
