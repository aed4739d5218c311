import { isIP } from 'node:net'
import { refuse } from '../../../runtime/errors.ts'
import { isLoopbackHost } from '../../../process/own-address.ts'

/**
 * The origin where passkeys are created and work. They work nowhere else, which protects users from phishing
 * pages.
 */
export interface PasskeyPlace {
  /** Host of the public URL (WebAuthn Level 3, section 5.1.2). */
  rpId: string
  origin: string
}

/**
 * Returns the origin of an instance by its public URL; null where browsers do not support passkeys: over
 * plain HTTP from other machines, and at an IP address.
 */
export function passkeyPlace(publicUrl: string): PasskeyPlace | null {
  const { protocol, hostname, origin } = new URL(publicUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return null
  return protocol === 'https:' || isLoopbackHost(hostname) ? { rpId: hostname, origin } : null
}

/**
 * Returns the origin of a request. Refuses, with a remedy, where passkeys are not supported, and where the
 * page was opened at another URL.
 */
export function requirePasskeyPlace({
  headers,
  publicUrl,
}: {
  headers: Headers
  publicUrl: () => string
}): PasskeyPlace {
  const place = passkeyPlace(publicUrl())
  if (place === null) {
    throw refuse('https_required', {
      detail:
        'Passkeys need a host name and HTTPS: set `ONESIXTY_PUBLIC_URL` to the https URL of the service.',
    })
  }
  if (headers.get('origin') !== place.origin)
    throw refuse('foreign_origin', { detail: `Passkeys work at ${place.origin}. Open the console there.` })
  return place
}
