/** A host that a declaration names: literal labels, or `*` for one; the last two are literal. */
export const hostForm =
  /^(?:(?:\*|[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.[a-z]{2,63}$/

/** Returns whether a host is among those of a declaration. */
export const isDeclaredHost = (host: string, hosts: readonly string[]): boolean =>
  hosts.some((pattern) => fits(host.toLowerCase().replace(/\.$/, '').split('.'), pattern.split('.')))

const fits = (labels: readonly string[], wanted: readonly string[]): boolean =>
  labels.length === wanted.length && wanted.every((label, i) => label === '*' || label === labels[i])

/** Returns the URL, if it is one of HTTP without user, password and fragment; otherwise null. */
export function readHttpUrl(text: string): URL | null {
  if (!/^https?:\/\/[^/?#\\]/i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  return url.username === '' && url.password === '' && url.hash === '' ? url : null
}
