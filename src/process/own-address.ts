import type { Config } from '../config.ts'

/** The address that others know the service by: what is set, else the one that it listens on (`port` where a free one was taken). */
export function ownAddress(
  { publicUrl, host, port, tlsCert }: Pick<Config, 'publicUrl' | 'host' | 'port' | 'tlsCert'>,
  takenPort: number = port,
): string {
  return publicUrl ?? `${tlsCert === null ? 'http' : 'https'}://${hostInUrl(host)}:${takenPort}`
}

/**
 * The same for programs of this machine. Where no certificate wants the name it is a number: `localhost` is [::1] too, where another user may listen,
 * who would be shown the key.
 */
export function loopbackAddress(config: Pick<Config, 'publicUrl' | 'host' | 'port' | 'tlsCert'>): string {
  if (config.publicUrl !== null || config.tlsCert !== null) return ownAddress(config)
  const anywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }
  return `http://${anywhere[config.host] ?? asHostname(config.host)}:${config.port}`
}

/** Whether a host name of a URL means each machine itself (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3). */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  /^127(\.\d{1,3}){3}$/.test(hostname) ||
  hostname === '[::1]'

/** Who may open an account in the console: what is set, else everybody while only this machine can reach the service. */
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

/** The address of a one-time link. Its token stands behind the `#`: browsers send that to no server, so that no log has it. */
export const linkAddress = (address: string, token: string): string => `${address}/link#${token}`

/** The address of a link that confirms an e-mail address. */
export const emailLinkAddress = (address: string, token: string): string => `${address}/confirm#${token}`

const asHostname = (host: string): string => (host.includes(':') ? `[${host}]` : host)

const hostInUrl = (host: string): string =>
  host === '127.0.0.1' || host === '0.0.0.0' || host === '::' ? 'localhost' : asHostname(host)
