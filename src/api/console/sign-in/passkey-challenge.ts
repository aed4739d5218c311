import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { AnsweredChallenge } from '../../../accounts/people/passkeys.ts'

/**
 * What a challenge is for: adding a passkey in one session, or signing in from one browser. One of another flow is not taken, so that an answer
 * that was got elsewhere is of no use here.
 */
export type PasskeyFlow = `add ${string}` | `sign-in ${string}`

/** The least and the default of WebAuthn Level 3, section 15.1, for who has to find a phone or a security key first. */
export const challengeLifeMs = 5 * 60_000

const [chanceLength, timeLength, macLength] = [16, 6, 32]

/**
 * A challenge for an authenticator (WebAuthn Level 3, section 13.4.3), as base64url: 16 random bytes, when it ends, and an HMAC-SHA-256 over both
 * and its flow. What asks for one without an answer leaves nothing in the database.
 */
export function makeChallenge(
  deps: { key: Uint8Array; nowMs: number; randomBytes: (count: number) => Uint8Array },
  flow: PasskeyFlow,
): string {
  const head = Buffer.alloc(chanceLength + timeLength)
  head.set(deps.randomBytes(chanceLength))
  head.writeUIntBE(deps.nowMs + challengeLifeMs, chanceLength, timeLength)
  return Buffer.concat([head, macOf(deps.key, flow, head)]).toString('base64url')
}

/** What is kept of a challenge whose answer is taken; null when it is not one of ours, of another flow, or over. */
export function readChallenge(
  { key, nowMs }: { key: Uint8Array; nowMs: number },
  flow: PasskeyFlow,
  challenge: string,
): AnsweredChallenge | null {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== chanceLength + timeLength + macLength) return null
  const head = bytes.subarray(0, chanceLength + timeLength)
  if (!timingSafeEqual(bytes.subarray(head.length), macOf(key, flow, head))) return null
  const expiresAt = head.readUIntBE(chanceLength, timeLength)
  // Of its bytes: the same ones can be spelled in more than one way.
  return expiresAt > nowMs ? { hash: createHash('sha256').update(bytes).digest('hex'), expiresAt } : null
}

const macOf = (key: Uint8Array, flow: PasskeyFlow, head: Uint8Array): Buffer =>
  createHmac('sha256', key).update(head).update(flow).digest()
