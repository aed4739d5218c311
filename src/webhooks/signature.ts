import { createHmac } from 'node:crypto'

const secretPrefix = 'whsec_'
/** As long as the hash of the signature; Standard Webhooks requires 24 to 64. */
const secretBytes = 32

/** Creates a secret in the form in which it is shown: `whsec_` and base64. */
export const mintSigningSecret = (randomBytes: (count: number) => Uint8Array): string =>
  secretPrefix + Buffer.from(randomBytes(secretBytes)).toString('base64')

/**
 * Returns the headers that sign one delivery (Standard Webhooks 1.0, "Signature scheme"): HMAC-SHA-256 over
 * ID, timestamp and body, with one signature for each secret. `atMs` is the time of this attempt, which
 * receivers check against replays; the ID is the same on all attempts.
 */
export function signedHeaders(
  secrets: readonly string[],
  { id, atMs, body }: { id: string; atMs: number; body: string },
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(atMs / 1_000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
