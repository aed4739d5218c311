import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey, everySecret, type InstanceSecret } from '../runtime/derived-keys.ts'

/** Shows that an address leads to this instance, and to no other server. */
export interface ReachProof {
  /** Returns the answer of this instance to a nonce; null for one that is not a nonce. */
  answerTo(nonce: string): string | null
  /** Returns whether an answer to a nonce is from this instance. */
  isOurs(nonce: string, answer: string): boolean
}

/** 16 bytes or more in base64url: an answer cannot be known before it is asked for. */
const nonceForm = /^[\w-]{22,64}$/

/**
 * Creates the proof from the instance secret: HMAC-SHA-256 of the nonce, under a key that is used for nothing
 * else. A server that was not restarted since a change of the secret answers by a former one, which counts as
 * well.
 */
export function createReachProof(secret: InstanceSecret): ReachProof {
  const keys = everySecret(secret).map((each) => deriveKey(each, 'reach'))
  const answerBy = (key: Uint8Array | undefined, nonce: string): string =>
    createHmac('sha256', key ?? '')
      .update(nonce)
      .digest('base64url')
  return {
    answerTo: (nonce) => (nonceForm.test(nonce) ? answerBy(keys[0], nonce) : null),
    isOurs: (nonce, answer) => keys.some((key) => isSame(answer, answerBy(key, nonce))),
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
