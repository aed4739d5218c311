import { hash } from 'node:crypto'
import { refuse } from '../runtime/errors.ts'

/** What makes a repeat of a request the same request: the caller's key, and the fingerprint of the body. */
export interface Idempotency {
  key: string
  fingerprint: string
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
 * Keys whose first request this node is still handling. A second one is refused at once, and so never waits in the database. Other
 * nodes are held off by the unique key of the table.
 */
export class InFlight {
  readonly #names = new Set<string>()

  /** Runs `task` as the one request with this key; refuses while another is running. */
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
