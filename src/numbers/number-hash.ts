import { createHmac } from 'node:crypto'
import { deriveKey, everySecret, type InstanceSecret } from '../runtime/derived-keys.ts'
import { everySpelling } from './number-changes.ts'

/**
 * Replaces a number where the number itself must not be stored any more: HMAC-SHA-256 (RFC 2104) with a key
 * of the instance (HKDF, RFC 5869), because all existing numbers can be hashed within an hour. The database
 * without the secret reveals nothing.
 */
export interface NumberHash {
  /** Returns the hash to store. */
  of(number: string): string
  /** Returns all hashes that may be stored: with the current secret and with former ones. */
  all(number: string): string[]
  /** Returns all keys under which SIM plans may have counted it. */
  inPlans(number: string): string[]
}

/** Returns the key with which SIM plans hash the numbers that they count. A changed secret makes numbers new again. */
export const planKey = (secret: string): string =>
  Buffer.from(deriveKey(secret, 'plan-numbers')).toString('hex')

/** Returns the name under which a SIM plan counts a number: 8 octets, from which no number can be derived. */
export const numberInPlan = (key: string, number: string): string =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(number).digest('hex').slice(0, 16)

/**
 * Returns everything under which a number may be stored: its spellings, and the hashes of each for an erased
 * one.
 */
export const everyForm = (numbers: Pick<NumberHash, 'all'>, number: string): string[] =>
  everySpelling(number).flatMap((each) => [each, ...numbers.all(each)])

/** Hashes with the current secret, and finds what was hashed with former ones. */
export function createNumberHash(secret: InstanceSecret): NumberHash {
  const keys = everySecret(secret).map((each) => deriveKey(each, 'number-hash'))
  const hashed = (key: Uint8Array, number: string): string =>
    `hash:${createHmac('sha256', key).update(number).digest('hex')}`
  return {
    of: (number) => hashed(keys[0] as Uint8Array, number),
    all: (number) => keys.map((key) => hashed(key, number)),
    inPlans: (number) => everySecret(secret).map((each) => numberInPlan(planKey(each), number)),
  }
}

/** Returns the name of a number in the audit log: enough to see that two entries are about one number. */
export const shortHash = (numbers: NumberHash, number: string): string =>
  numbers.of(number).slice('hash:'.length).slice(0, 16)
