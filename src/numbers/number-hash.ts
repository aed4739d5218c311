import { createHmac } from 'node:crypto'
import { deriveKey, everySecret, type InstanceSecret } from '../runtime/derived-keys.ts'
import { everySpelling } from './number-changes.ts'

/**
 * Stands for a number where the number itself must not stand any more: HMAC-SHA-256 (RFC 2104) under a key of the instance (HKDF, RFC 5869), because
 * all numbers there are can be hashed in an hour. Who has the database alone learns nothing.
 */
export interface NumberHash {
  /** What is written down. */
  of(number: string): string
  /** Everything that may have been written down: under the present secret and those before it. */
  all(number: string): string[]
}

/** Everything under which a number may stand in a table: its spellings, and the hash of each for one that was erased. */
export const everyForm = (numbers: Pick<NumberHash, 'all'>, number: string): string[] =>
  everySpelling(number).flatMap((each) => [each, ...numbers.all(each)])

/** Hashes under the present secret, and knows what was hashed under those before it. */
export function createNumberHash(secret: InstanceSecret): NumberHash {
  const keys = everySecret(secret).map((each) => deriveKey(each, 'number-hash'))
  const hashed = (key: Uint8Array, number: string): string =>
    `hash:${createHmac('sha256', key).update(number).digest('hex')}`
  return {
    of: (number) => hashed(keys[0] as Uint8Array, number),
    all: (number) => keys.map((key) => hashed(key, number)),
  }
}

/** As the audit log names it: enough to see that two entries are about one number. */
export const shortHash = (numbers: NumberHash, number: string): string =>
  numbers.of(number).slice('hash:'.length).slice(0, 16)
