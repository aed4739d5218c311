import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isLoopbackHost } from '../process/own-address.ts'
import { codeOf, passed, type Stage, stopped } from './reach-step.ts'

/** A name with more addresses is tried by the first ones: phones do not try more in a few seconds either. */
const maxAddresses = 4

/** Returns all addresses of a name; rejects with a code. */
export type Lookup = (name: string) => Promise<string[]>

const lookupAll: Lookup = async (name) =>
  (await systemLookup(name, { all: true })).map(({ address }) => address)

/** Returns this machine's own IPv4 addresses that other machines can know. */
export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address),
  )

/** Returns whether an address is one of this machine that other machines can know, of either family. */
export const isOwnAddress = (address: string): boolean =>
  Object.values(networkInterfaces()).some((each) =>
    each?.some((known) => !known.internal && known.address === address.replace(/%.*$/, '')),
  )

/**
 * Resolves the name of an address by the system, which may use /etc/hosts. If it gives a loopback address for a
 * public name, as Debian does for its own name, this machine's own addresses are tried in its place: the
 * loopback would prove nothing about other machines.
 */
export async function findAddresses(
  { hostname }: URL,
  {
    signal,
    own,
    lookup = lookupAll,
  }: { signal: AbortSignal; own: readonly string[]; lookup?: Lookup | undefined },
): Promise<Stage<readonly string[]>> {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  if (bare === '0.0.0.0' || bare === '::')
    return stopped(
      'name',
      `${bare} is an address to listen on: no client can connect to it.`,
      'Set ONESIXTY_PUBLIC_URL to the address that phones must use.',
    )
  if (isIP(bare) !== 0) return passed('name', [bare], `${bare} is an IP address.`)
  try {
    const found = await unlessAborted(lookup(bare), signal)
    const given = `${bare} is ${found.join(', ')}`
    if (!isLoopbackHost(hostname) && found.every(isLoopback)) {
      return own.length === 0
        ? passed('name', found, `${given} on this machine, which has no other address.`)
        : passed('name', own, `${given} on this machine; ${own.join(', ')} is tried, its own address.`)
    }
    return passed('name', found.slice(0, maxAddresses), `${given}.`)
  } catch (error) {
    return stopped(
      'name',
      `The name ${bare} cannot be resolved (${codeOf(error)}).`,
      'Add it to your DNS, or set ONESIXTY_PUBLIC_URL to a name or address that exists.',
    )
  }
}

/** Returns whether an address always means the local machine. */
export const isLoopback = (address: string): boolean =>
  isLoopbackHost(address.includes(':') ? `[${address}]` : address)

/** Rejects when the signal fires: the system's resolver cannot be aborted. */
const unlessAborted = <T>(task: Promise<T>, signal: AbortSignal): Promise<T> =>
  Promise.race([
    task,
    new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () =>
        reject(Object.assign(new Error('timeout'), { code: 'ETIMEOUT' })),
      ),
    ),
  ])
