import type { Config } from '../../config.ts'

type Addressed = Pick<Config, 'publicUrl' | 'host' | 'port' | 'tlsCert'>

/** What a person types into the app as its API URL. */
export const phoneAddress = (config: Addressed): string => `${originOf(config)}/mobile/v1`

/** What keeps a phone from reaching that address, as far as the address tells, each with what to do. */
export function addressTroubles(address: string): string[] {
  const { hostname, protocol } = new URL(address)
  const troubles: string[] = []
  if (isLoopback(hostname) || isEverywhere(hostname)) {
    troubles.push(
      `A phone cannot reach ${hostname}: that is each machine's own address. Set ONESIXTY_PUBLIC_URL to the address that the phone has to use.`,
    )
  }
  if (protocol === 'http:') {
    troubles.push(
      'The app speaks HTTPS only. Give the service a certificate (ONESIXTY_TLS_CERT, ONESIXTY_TLS_KEY), or put a reverse proxy or a tunnel in front of it, and set ONESIXTY_PUBLIC_URL to its https address.',
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
