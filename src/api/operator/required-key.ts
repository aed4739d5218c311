import type { IncomingHttpHeaders } from 'node:http'
import { refuse } from '../../runtime/errors.ts'
import { readIdempotency } from '../edge/idempotency-key.ts'

/**
 * Returns the Idempotency-Key of a request and the fingerprint of its body. Refuses a request without one,
 * because repeating it would run it twice.
 */
export function requiredKey(
  headers: IncomingHttpHeaders,
  body: object,
): { key: string; fingerprint: string } {
  const named = readIdempotency(headers, body)
  if (named !== null) return named
  throw refuse('invalid_header', {
    detail:
      'Send an Idempotency-Key header of 1 to 255 visible ASCII characters: with it, a repeated request runs only once.',
  })
}
