/**
 * Returns why passkeys do not work on this page and what to do, or null when they work. `origin` is the only origin
 * that they are valid for.
 */
export function passkeyFault(origin: string | null): string | null {
  if (origin === null)
    return 'Passkeys require a host name and HTTPS. The operator must configure both and set ONESIXTY_PUBLIC_URL to the https address.'
  if (origin !== window.location.origin) return `Passkeys work at ${origin}: open the console there.`
  return typeof window.PublicKeyCredential === 'function'
    ? null
    : 'This browser does not support passkeys. Use a current one.'
}
