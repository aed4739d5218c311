import { BlockList, isIP } from 'node:net'

/** Ranges of addresses by the way that they show; a public address is the internet. */
const ways = [
  {
    way: 'this machine: a cable or a proxy',
    // RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3.
    ranges: ['127.0.0.0/8', '::1/128'],
  },
  {
    way: 'the same network (Wi-Fi)',
    // RFC 1918, RFC 3927, RFC 4193, RFC 4291 section 2.5.6.
    ranges: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'],
  },
  // RFC 6598: carriers, and networks such as Tailscale.
  { way: 'a VPN such as Tailscale, or the network of a carrier', ranges: ['100.64.0.0/10'] },
].map(({ way, ranges }) => ({ way, list: listOf(ranges) }))

/** Returns the way on which a client came, by its address. */
export function wayOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4'
  return ways.find(({ list }) => list.check(plain, family))?.way ?? 'the internet'
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}
