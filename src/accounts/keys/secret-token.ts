import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** A token, which is shown once and never stored, and what is stored of it. */
export interface MintedToken {
  token: string
  hash: string
  lastFour: string
}

/**
 * Creates a token: its prefix, 43 random base62 characters (256 bits), and the CRC-32 of both in 6 more, so
 * that a typo or a fake is detected without a lookup. `randomBytes` returns that many random bytes.
 */
export function mintToken(deps: { prefix: string; randomBytes: (count: number) => Uint8Array }): MintedToken {
  const body = deps.prefix + randomBase62(deps.randomBytes)
  const token = body + checksumOf(body)
  return { token, hash: hashOf(token), lastFour: token.slice(-4) }
}

/** Returns the SHA-256 of a token, or null if its form or its checksum is wrong. */
export function hashOfToken(prefix: string, token: string): string | null {
  if (!token.startsWith(prefix) || !form.test(token.slice(prefix.length))) return null
  const body = token.slice(0, -checksumLength)
  return token.slice(-checksumLength) === checksumOf(body) ? hashOf(token) : null
}

const randomLength = 43
/** 62^6 is more than 2^32. */
const checksumLength = 6
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^[0-9A-Za-z]{49}$/

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

function checksumOf(body: string): string {
  let out = ''
  for (let rest = crc32(body), i = 0; i < checksumLength; i++, rest = Math.floor(rest / 62))
    out = digits.charAt(rest % 62) + out
  return out
}

/**
 * 248 is the largest multiple of 62 in a byte. Larger bytes are discarded, so that all characters are equally
 * likely.
 */
function randomBase62(randomBytes: (count: number) => Uint8Array): string {
  let out = ''
  while (out.length < randomLength) {
    for (const byte of randomBytes(randomLength)) {
      if (byte < 248 && out.length < randomLength) out += digits.charAt(byte % 62)
    }
  }
  return out
}
