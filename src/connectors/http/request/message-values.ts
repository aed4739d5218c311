import { createHash } from 'node:crypto'
import { dayMs } from '../../../runtime/clock.ts'
import type { Submission } from '../../connector.ts'
import type { MessageName } from '../declaration/names.ts'
import type { Filling } from '../declaration/filters.ts'

/** What a request is filled with, of a message. */
export type MessageValues = Readonly<Record<MessageName, Filling>>

/** The addresses that the provider calls about this message; null where it cannot call. */
export interface CallbackUrls {
  status: string | null
  inbound: string | null
}

/** Returns the values of a message at a time; its validity is what is left of it then. */
export function messageValues(
  submission: Submission,
  { nowMs, urls }: { nowMs: number; urls: CallbackUrls },
): MessageValues {
  const { to, from, text, parts, encoding, category, validitySeconds, attemptId } = submission
  const validityMs = submission.validityMs ?? validitySeconds * 1_000
  return {
    to,
    to_digits: to.replaceAll(/\D/g, ''),
    from,
    text,
    parts,
    encoding,
    category,
    validity_s: validitySeconds,
    validity_ms: validityMs,
    expires_at: new Date(nowMs + validityMs).toISOString(),
    reference: attemptId,
    reference_uuid: uuidOf(attemptId),
    sent_at: new Date(nowMs).toISOString(),
    day_before: new Date(nowMs - dayMs).toISOString().slice(0, 10),
    status_url: urls.status,
    inbound_url: urls.inbound,
  }
}

/** Made once at random; it only has to be the same in every version. */
const namespace = Buffer.from('7d1f4d0c5b1e4f6f9d0a3c2b6e8f1a47', 'hex')

/** Returns the name-based UUID of a reference (RFC 9562, version 5): the same for the same reference. */
export function uuidOf(reference: string): string {
  const octets = createHash('sha1').update(namespace).update(reference).digest().subarray(0, 16)
  octets[6] = ((octets[6] as number) & 0x0f) | 0x50
  octets[8] = ((octets[8] as number) & 0x3f) | 0x80
  return octets.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
