/** Ranges of addresses that no other network can reach, for `readAddressList`. */

/** Private networks (RFC 1918). */
export const privateIpv4: readonly string[] = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']
/** Addresses that a machine without a DHCP server takes (RFC 3927). */
export const linkLocalIpv4: readonly string[] = ['169.254.0.0/16']
/** Unique local (RFC 4193) and link-local (RFC 4291 section 2.5.6). */
const privateIpv6: readonly string[] = ['fc00::/7', 'fe80::/10']
/** RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3. */
export const loopback: readonly string[] = ['127.0.0.0/8', '::1/128']

/** One network, by cable or Wi-Fi. */
export const sameNetwork: readonly string[] = [...privateIpv4, ...linkLocalIpv4, ...privateIpv6]
