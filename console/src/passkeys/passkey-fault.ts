/** Why there are no passkeys on this page, and what to do; null where there are. `origin` is the one address that they belong to. */
export function passkeyFault(origin: string | null): string | null {
  if (origin === null)
    return 'Passkeys need a host name and HTTPS. Whoever runs this service gives it both, and sets ONESIXTY_PUBLIC_URL to its https address.'
  if (origin !== window.location.origin) return `Passkeys work at ${origin}: open the console there.`
  return typeof window.PublicKeyCredential === 'function'
    ? null
    : 'This browser has no passkeys. A current one has.'
}
