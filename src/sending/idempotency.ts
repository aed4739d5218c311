import { hash } from 'node:crypto'
import { refuse } from '../runtime/errors.ts'

/** Identifies repeats of a request: the client's key, and the fingerprint of the body. */
export interface Idempotency {
  key: string
  fingerprint: string
}

/**
 * Returns the SHA-256 of a body in canonical form: members sorted, without white space, before defaults.
 * Bodies are nested up to 8 levels.
 */
export const fingerprintOf = (body: object): string => hash('sha256', canonical(body), 'hex')

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const members = value as Readonly<Record<string, unknown>>
  const sorted = Object.keys(members).toSorted()
  return `{${sorted.map((key) => `${JSON.stringify(key)}:${canonical(members[key])}`).join(',')}}`
}

/**
 * Keys whose first request is still being handled by this node. A second request is rejected immediately, and
 * does not wait in the database. On other nodes, the unique key of the table rejects it.
 */
export class KeysInProgress {
  readonly #keys = new Set<string>()

  /** Runs `task` as the only request with this key; rejects while another one is running. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    if (this.#keys.has(key)) throw refuse('idempotency_in_progress', { headers: { 'retry-after': '1' } })
    this.#keys.add(key)
    try {
      return await task()
    } finally {
      this.#keys.delete(key)
    }
  }
}
