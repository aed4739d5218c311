import { createHmac, timingSafeEqual } from 'node:crypto'

const stepMs = 30_000
/** Clocks of phones differ: the previous and the next step are accepted too (RFC 6238, section 5.2). */
const allowedSteps = [0, -1, 1] as const

/**
 * Returns the time step of a code of six digits, by RFC 6238 with its defaults (HMAC-SHA-1, 30 s); null if it
 * is not of the current, the previous or the next step.
 */
export function stepOfCode(secret: string, code: string, nowMs: number): number | null {
  const now = Math.floor(nowMs / stepMs)
  const step = allowedSteps.map((by) => now + by).find((each) => isEqual(codeOf(secret, each), code))
  return step ?? null
}

/** Computes a code by RFC 4226, section 5.3. */
function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 15
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
