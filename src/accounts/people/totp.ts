import { createHmac, timingSafeEqual } from 'node:crypto'

const stepMs = 30_000
/** Clocks of phones differ: the step before and the step after count too (RFC 6238, section 5.2). */
const allowedSteps = [0, -1, 1] as const

/**
 * The time step that a code of six digits belongs to, by RFC 6238 with its defaults (HMAC-SHA-1, 30 s); null when it is not one of now, the step
 * before or the step after.
 */
export function stepOfCode(secret: string, code: string, nowMs: number): number | null {
  const now = Math.floor(nowMs / stepMs)
  const step = allowedSteps.map((by) => now + by).find((each) => isEqual(codeOf(secret, each), code))
  return step ?? null
}

/** RFC 4226, section 5.3. */
function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 15
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
