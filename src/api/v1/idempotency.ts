import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { refuse } from '../../runtime/errors.ts'
import type { SendRequest } from '../../messages/send-request.ts'

type Named = { key: string; fingerprint: string }

/**
 * The idempotency of a request: its key, bare or as a string of structured fields (RFC 9651 section 3.3.3), and the fingerprint of its
 * body. Null without the header. Refuses a key that is not 1 to 255 visible ASCII characters.
 */
export function readIdempotency(
  headers: IncomingMessage['headers'],
  body: object,
): SendRequest['idempotency'] {
  const given = headers['idempotency-key']
  if (given === undefined) return null
  // Node joins repeated headers by a comma and a space, which no key may hold.
  const key = keyOf(String(given))
  if (key === null) {
    throw refuse('invalid_header', {
      detail: 'An Idempotency-Key has 1 to 255 visible ASCII characters, bare or quoted.',
    })
  }
  return { key, fingerprint: fingerprintOf(body) } satisfies Named
}

/** Of the header, as schemas say it: what `keyOf` takes and nothing else. */
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

/** SHA-256 of a body in canonical form: members sorted, no white space, before defaults. Bodies are never nested deeper than 8. */
export const fingerprintOf = (body: object): string => hash('sha256', canonical(body), 'hex')

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const members = value as Readonly<Record<string, unknown>>
  const sorted = Object.keys(members).toSorted()
  return `{${sorted.map((key) => `${JSON.stringify(key)}:${canonical(members[key])}`).join(',')}}`
}

/**
 * Keys whose first request this node is still handling. A second one is told to come back, and so never waits in the database. Other
 * nodes are held off by the unique key of the table.
 */
export class InFlight {
  readonly #names = new Set<string>()

  /** Runs `task` as the one request with this key; refuses while another is. */
  async hold<T>(name: string, task: () => Promise<T>): Promise<T> {
    if (this.#names.has(name)) throw refuse('idempotency_in_progress', { headers: { 'retry-after': '1' } })
    this.#names.add(name)
    try {
      return await task()
    } finally {
      this.#names.delete(name)
    }
  }
}
