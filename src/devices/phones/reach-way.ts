import { readAddressList } from '../../runtime/address-list.ts'
import { loopback, sameNetwork } from '../../runtime/private-addresses.ts'

const thisMachine = 'this machine: a cable or a proxy'

/** Ranges of addresses by the way that they show; a public address is the internet. */
const ways = [
  { way: thisMachine, ranges: loopback },
  { way: 'the same network (Wi-Fi)', ranges: sameNetwork },
  // RFC 6598: carriers, and networks such as Tailscale.
  { way: 'a VPN such as Tailscale, or the network of a carrier', ranges: ['100.64.0.0/10'] },
].map(({ way, ranges }) => ({ way, list: readAddressList(ranges) }))

/**
 * Returns the way on which a client came, by its address. `own` are other addresses of this machine: a client with one of
 * them is a proxy on it.
 */
export function wayOf(address: string, own: readonly string[] = []): string {
  const plain = address.replace(/%.*$/, '')
  if (own.includes(plain)) return thisMachine
  return ways.find(({ list }) => list.includes(plain))?.way ?? 'the internet'
}
