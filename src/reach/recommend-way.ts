import { isIP } from 'node:net'
import { isLoopbackHost } from '../process/own-address.ts'
import type { Reach } from './reach.ts'

/**
 * Returns how a phone should be connected: over the internet where this instance answers at a public HTTPS address, which
 * `tryIt` shows; else in the same network.
 */
export async function recommendWay(
  address: string,
  tryIt: () => Promise<Pick<Reach, 'isReached'>>,
): Promise<'local' | 'internet'> {
  const { protocol, hostname } = new URL(address)
  // A literal address is most often a private one, and a certificate for a public one is rare.
  if (protocol !== 'https:' || isLoopbackHost(hostname) || isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0)
    return 'local'
  return (await tryIt()).isReached ? 'internet' : 'local'
}
