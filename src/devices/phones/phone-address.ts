import type { Config } from '../../config.ts'

type Addressed = Pick<Config, 'publicUrl' | 'host' | 'port' | 'tlsCert'>

/** The API URL that is entered in the app. */
export const phoneAddress = (config: Addressed): string => `${originOf(config)}/mobile/v1`

/** Returns what keeps a phone from reaching that address, as far as the address shows, each with what to do. */
export function addressTroubles(address: string): string[] {
  const { hostname, protocol } = new URL(address)
  const troubles: string[] = []
  if (isLoopback(hostname) || isEverywhere(hostname)) {
    troubles.push(
      `Phones cannot reach ${hostname}, which is each machine's own address. Set ONESIXTY_PUBLIC_URL to the address that phones must use.`,
    )
  }
  if (protocol === 'http:') {
    troubles.push(
      'The app supports only HTTPS. Configure a certificate (ONESIXTY_TLS_CERT, ONESIXTY_TLS_KEY), or a reverse proxy or tunnel in front of the service, and set ONESIXTY_PUBLIC_URL to its https address.',
    )
  }
  return troubles
}

function originOf({ publicUrl, host, port, tlsCert }: Addressed): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '')
  return `${tlsCert === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname.startsWith('127.') ||
  hostname === '[::1]'

const isEverywhere = (hostname: string): boolean => hostname === '0.0.0.0' || hostname === '[::]'
