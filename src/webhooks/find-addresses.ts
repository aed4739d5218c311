import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { AddressGuard } from './address-guard.ts'

/** The addresses that a host leads to, in the order in which they are tried. Throws when there are none. */
export type FindAddresses = (host: string) => Promise<readonly string[]>

const resolveTimeoutMs = 4_000
/** How long IPv4 that may be connected to waits for IPv6 (RFC 8305, section 3: the resolution delay, of the other family). */
const resolutionDelayMs = 50

/** What the name servers say of a name, family by family. */
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
 * Asks the name servers itself, since the machine's own look-up holds one of four threads for as long as a name server is silent. Names without a dot
 * and those that the operator allowed are found as the machine finds them: by its file of hosts, or what its network calls its own. A name server that
 * is silent about IPv6 delays nothing where IPv4 has an address that the guard permits. IPv6 alone waits for IPv4: the machine may have none.
 */
export function createFindAddresses(
  guard: Pick<AddressGuard, 'trusts' | 'permits'>,
  { ask, delay }: Asking = { ask: askNameServers, delay: (ms) => wait(ms, undefined, { ref: false }) },
): FindAddresses {
  return async (host) => {
    if (isIP(host) !== 0) return [host]
    // A dot at the end says that nothing follows: the machine's look-up may not know its own names so.
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
