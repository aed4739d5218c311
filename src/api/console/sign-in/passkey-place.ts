import { isIP } from 'node:net'
import { refuse } from '../../../runtime/errors.ts'
import { isLoopbackHost } from '../../../process/own-address.ts'

/** Where passkeys are made for, and work: nowhere else, which is why nobody is led astray by a page that looks like ours. */
export interface PasskeyPlace {
  /** The host of the address of the service (WebAuthn Level 3, section 5.1.2). */
  rpId: string
  origin: string
}

/**
 * The place of an instance by its public address; null where browsers have no passkeys: over plain HTTP from elsewhere, and at an address
 * without a name.
 */
export function passkeyPlace(publicUrl: string): PasskeyPlace | null {
  const { protocol, hostname, origin } = new URL(publicUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return null
  return protocol === 'https:' || isLoopbackHost(hostname) ? { rpId: hostname, origin } : null
}

/** The place of a request. Refuses, with what to do, where there is none, and where the page was opened at another address. */
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
        'Passkeys need a host name and HTTPS: set `ONESIXTY_PUBLIC_URL` to the https address of the service.',
    })
  }
  if (headers.get('origin') !== place.origin)
    throw refuse('foreign_origin', { detail: `Passkeys work at ${place.origin}: open the console there.` })
  return place
}
