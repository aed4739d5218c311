import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Clocks of two machines may differ by this. */
const skewSeconds = 300

/**
 * Returns whether a token (RFC 7519) is signed with a key by HS256, is valid now, and, where a claim for it is named, has the
 * SHA-256 of the body. A token that names another algorithm, or none, is not.
 */
export function isSignedJwt(
  token: string,
  { key, nowMs, body, hashClaim }: { key: string; nowMs: number; body: Buffer; hashClaim: string | null },
): boolean {
  const [head = '', claims = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || partOf(head)?.['alg'] !== 'HS256') return false
  const wanted = createHmac('sha256', key).update(`${head}.${claims}`).digest()
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return false
  const said = claimsOf(token)
  if (said === null) return false
  const nowSeconds = nowMs / 1_000
  const { exp, nbf } = said
  if (typeof exp === 'number' && nowSeconds > exp + skewSeconds) return false
  if (typeof nbf === 'number' && nowSeconds < nbf - skewSeconds) return false
  return hashClaim === null || said[hashClaim] === createHash('sha256').update(body).digest('hex')
}

/** Returns what a token says (RFC 7519, section 4), without a look at its signature; null where it is none. */
export const claimsOf = (token: string): Readonly<Record<string, unknown>> | null =>
  partOf(token.split('.')[1] ?? '')

function partOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const part: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return typeof part === 'object' && part !== null && !Array.isArray(part)
      ? (part as Readonly<Record<string, unknown>>)
      : null
  } catch {
    return null
  }
}
