import { hkdfSync } from 'node:crypto'

/** What encrypts the secrets that must be read again, and hashes the numbers that were erased. */
export interface InstanceSecret {
  current: string
  /** Those before it, the newest first: what they sealed can be opened still, and what they hashed is found. */
  former: readonly string[]
}

/** All that are at hand, the current one first. */
export const everySecret = ({ current, former }: InstanceSecret): string[] => [current, ...former]

/** A key for one purpose (HKDF-SHA-256, RFC 5869), 32 octets: no purpose can do what another can, or open what it sealed. */
export const deriveKey = (secret: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, 'onesixty', `onesixty/${purpose}/v1`, 32))

/** What a database remembers of a secret, to know it again: it tells nothing else of it. */
export const markOf = (secret: string): string =>
  Buffer.from(deriveKey(secret, 'mark')).toString('hex').slice(0, 16)

/** The marks of the secrets that are at hand, in their order. */
export const marksOf = (secret: InstanceSecret): string[] => everySecret(secret).map(markOf)
