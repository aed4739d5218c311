import type { IncomingMessage } from 'node:http'
import { refuse } from '../../runtime/errors.ts'
import { fingerprintOf, type Idempotency } from '../../sending/idempotency.ts'

/**
 * Reads the idempotency key of a request, bare or as a string of structured fields (RFC 9651 section 3.3.3),
 * and the fingerprint of its body. Null without the header. Refuses a key that is not 1 to 255 visible ASCII
 * characters.
 */
export function readIdempotency(headers: IncomingMessage['headers'], body: object): Idempotency | null {
  const given = headers['idempotency-key']
  if (given === undefined) return null
  // Node joins repeated headers with a comma and a space, which no key can contain.
  const key = keyOf(String(given))
  if (key === null) {
    throw refuse('invalid_header', {
      detail: 'An Idempotency-Key must have 1 to 255 visible ASCII characters, bare or quoted.',
    })
  }
  return { key, fingerprint: fingerprintOf(body) }
}

/** JSON Schema of the header: exactly what `keyOf` accepts. */
export const idempotencyKeyForm = {
  minLength: 1,
  maxLength: 512,
  pattern: String.raw`^([!#-~][!-~]{0,254}|"([!#-\[\]-~]|\\["\\]){1,255}")$`,
} as const

const bare = /^[!#-~][!-~]{0,254}$/
const quoted = /^"((?:[!#-[\]-~]|\\["\\])+)"$/

function keyOf(given: string): string | null {
  if (bare.test(given)) return given
  const key = quoted.exec(given)?.[1]?.replace(/\\(.)/g, '$1')
  return key !== undefined && key.length <= 255 ? key : null
}
