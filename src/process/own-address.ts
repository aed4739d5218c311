import type { Config } from '../config.ts'

/**
 * Returns the public address: the setting, else the address that the server listens on (`takenPort` if it
 * chose a free port).
 */
export function ownAddress(
  { publicUrl, host, port, tlsCert }: Pick<Config, 'publicUrl' | 'host' | 'port' | 'tlsCert'>,
  boundPort: number = port,
): string {
  return publicUrl ?? `${tlsCert === null ? 'http' : 'https'}://${hostInUrl(host)}:${boundPort}`
}

/** Returns the origin that phones use: the second listener if there is one, else the public address. */
export const phoneOrigin = ({ phoneListen }: Pick<Config, 'phoneListen'>, publicUrl: string): string =>
  phoneListen === null ? publicUrl.replace(/\/+$/, '') : `https://${phoneListen.host}:${phoneListen.port}`

/** Path below which all routes of phones are. */
export const phonePath = '/mobile/v1'

/** Returns the API URL that is entered in the app. */
export const phoneApiUrl = (config: Pick<Config, 'phoneListen'>, publicUrl: string): string =>
  phoneOrigin(config, publicUrl) + phonePath

/**
 * Returns the scheme, host and port of a URL, by which evidence about one address of phones is distinguished from that
 * about another. All names of the local machine are one: a phone behind a cable calls any of them.
 */
export function placeOf(url: string): string {
  const parsed = new URL(url)
  if (isLoopbackHost(parsed.hostname)) parsed.hostname = '127.0.0.1'
  return parsed.origin
}

/** Path on the second listener where phones get the root of certificates that were signed with `--own`. */
export const phoneRootPath = '/phone-ca.crt'

/**
 * Returns the address for clients on this machine. Without a certificate that requires the name it is
 * numeric: `localhost` is also [::1], where another user could listen and receive the key.
 */
export function loopbackAddress(config: Pick<Config, 'publicUrl' | 'host' | 'port' | 'tlsCert'>): string {
  if (config.publicUrl !== null || config.tlsCert !== null) return ownAddress(config)
  const anywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }
  return `http://${anywhere[config.host] ?? asHostname(config.host)}:${config.port}`
}

/**
 * Returns whether a host name of a URL always means the local machine (RFC 6761 section 6.3, RFC 1122 section
 * 3.2.1.3, RFC 4291 section 2.5.3).
 */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  /^127(\.\d{1,3}){3}$/.test(hostname) ||
  hostname === '[::1]'

/**
 * Returns who can create an account in the console: the setting, else everyone while only this machine can
 * reach the server.
 */
export const signUpMode = (
  config: Pick<Config, 'signUp' | 'publicUrl' | 'host'>,
): 'open' | 'invite' | 'closed' => {
  if (config.signUp !== null) return config.signUp
  const names = [
    config.publicUrl === null ? null : new URL(config.publicUrl).hostname,
    asHostname(config.host),
  ]
  return names.every((name) => name === null || isLoopbackHost(name)) ? 'open' : 'invite'
}

/**
 * Returns the address of a one-time link. Its token is after the `#`, which browsers send to no server, so
 * that no log contains it.
 */
export const linkAddress = (address: string, token: string): string => `${address}/link#${token}`

/** Returns the address of a link that confirms an e-mail address. */
export const emailLinkAddress = (address: string, token: string): string => `${address}/confirm#${token}`

const asHostname = (host: string): string => (host.includes(':') ? `[${host}]` : host)

const hostInUrl = (host: string): string =>
  host === '127.0.0.1' || host === '0.0.0.0' || host === '::' ? 'localhost' : asHostname(host)
