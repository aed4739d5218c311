import { hkdfSync } from 'node:crypto'

/** Encrypts secrets that must be read again, and hashes the numbers of erased recipients. */
export interface InstanceSecret {
  current: string
  /**
   * Earlier secrets, the newest first: what they encrypted can still be decrypted, and what they hashed is
   * still found.
   */
  former: readonly string[]
}

/** Returns all available secrets, the current one first. */
export const everySecret = ({ current, former }: InstanceSecret): string[] => [current, ...former]

/**
 * Derives a key of 32 octets for one purpose (HKDF-SHA-256, RFC 5869). The key of one purpose cannot decrypt
 * what another encrypted.
 */
export const deriveKey = (secret: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, 'onesixty', `onesixty/${purpose}/v1`, 32))

/** Returns the mark by which a database recognizes a secret. It reveals nothing else about the secret. */
export const markOf = (secret: string): string =>
  Buffer.from(deriveKey(secret, 'mark')).toString('hex').slice(0, 16)

/** Returns the marks of all available secrets, in their order. */
export const marksOf = (secret: InstanceSecret): string[] => everySecret(secret).map(markOf)
