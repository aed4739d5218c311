import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Mode } from '../storage/schema.ts'

/** What is stored of a key, and the token, which is shown once and never stored. */
export interface MintedApiKey {
  token: string
  hash: string
  lastFour: string
}

/**
 * Makes a key: `onesixty_live_` or `onesixty_test_`, 43 random base62 characters (256 bits), and
 * the CRC-32 of all that in 6 more. `randomBytes` gives that many random bytes.
 */
export function mintApiKey(deps: { mode: Mode; randomBytes: (count: number) => Uint8Array }): MintedApiKey {
  const body = `onesixty_${deps.mode}_${randomBase62(deps.randomBytes)}`
  const token = body + checksumOf(body)
  return { token, hash: hashOf(token), lastFour: token.slice(-4) }
}

/** The mode and the SHA-256 of a token, or null when it has not the form of a key or its checksum is wrong. */
export function parseApiKey(token: string): { mode: Mode; hash: string } | null {
  const mode = form.exec(token)?.[1]
  if (mode !== 'live' && mode !== 'test') return null
  const body = token.slice(0, -checksumLength)
  return token.slice(-checksumLength) === checksumOf(body) ? { mode, hash: hashOf(token) } : null
}

const randomLength = 43
/** 62^6 is more than 2^32. */
const checksumLength = 6
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^onesixty_(live|test)_[0-9A-Za-z]{49}$/

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

function checksumOf(body: string): string {
  let out = ''
  for (let rest = crc32(body), i = 0; i < checksumLength; i++, rest = Math.floor(rest / 62))
    out = digits.charAt(rest % 62) + out
  return out
}

/** 248 is the largest multiple of 62 in a byte: larger bytes are thrown away, so that no character is likelier than another. */
function randomBase62(randomBytes: (count: number) => Uint8Array): string {
  let out = ''
  while (out.length < randomLength) {
    for (const byte of randomBytes(randomLength)) {
      if (byte < 248 && out.length < randomLength) out += digits.charAt(byte % 62)
    }
  }
  return out
}
