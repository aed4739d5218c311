import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { AnsweredChallenge } from '../../../accounts/people/passkeys.ts'

/**
 * Purpose of a challenge: adding a passkey in one session, or signing in from one browser. A challenge of
 * another flow is rejected, so that a response obtained elsewhere is useless.
 */
export type PasskeyFlow = `add ${string}` | `sign-in ${string}`

/**
 * Minimum and default of WebAuthn Level 3, section 15.1: a user may first have to find a phone or a security
 * key.
 */
export const challengeLifeMs = 5 * 60_000

const [randomLength, timeLength, macLength] = [16, 6, 32]

/**
 * Creates a challenge for an authenticator (WebAuthn Level 3, section 13.4.3) as base64url: 16 random bytes,
 * its expiry, and an HMAC-SHA-256 over both and its flow. Requests without a response leave nothing in the
 * database.
 */
export function makeChallenge(
  deps: { key: Uint8Array; nowMs: number; randomBytes: (count: number) => Uint8Array },
  flow: PasskeyFlow,
): string {
  const head = Buffer.alloc(randomLength + timeLength)
  head.set(deps.randomBytes(randomLength))
  head.writeUIntBE(deps.nowMs + challengeLifeMs, randomLength, timeLength)
  return Buffer.concat([head, macOf(deps.key, flow, head)]).toString('base64url')
}

/**
 * Returns what is stored of a challenge that was answered; null when it is not ours, of another flow, or
 * expired.
 */
export function readChallenge(
  { key, nowMs }: { key: Uint8Array; nowMs: number },
  flow: PasskeyFlow,
  challenge: string,
): AnsweredChallenge | null {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== randomLength + timeLength + macLength) return null
  const head = bytes.subarray(0, randomLength + timeLength)
  if (!timingSafeEqual(bytes.subarray(head.length), macOf(key, flow, head))) return null
  const expiresAt = head.readUIntBE(randomLength, timeLength)
  // Hash of the bytes: the same bytes have more than one base64url spelling.
  return expiresAt > nowMs ? { hash: createHash('sha256').update(bytes).digest('hex'), expiresAt } : null
}

const macOf = (key: Uint8Array, flow: PasskeyFlow, head: Uint8Array): Buffer =>
  createHmac('sha256', key).update(head).update(flow).digest()
