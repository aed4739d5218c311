import { refuse } from '../../../runtime/errors.ts'

/** How far a search is, in addresses. */
export interface SearchProgress {
  asked: number
  of: number
}

/** The running searches for phones, one at a time for each account: each asks every address of this machine's networks. */
export class PhoneSearches {
  readonly #running = new Map<string, SearchProgress>()

  /** Runs a search, which says how far it is. Refuses a second one of the same account. */
  async run<T>(
    accountId: string,
    search: (progress: (asked: number, of: number) => void) => Promise<T>,
  ): Promise<T> {
    if (this.#running.has(accountId))
      throw refuse('rate_limited', {
        detail: 'A search for phones is running for this account. Wait until it ends.',
        headers: { 'retry-after': '5' },
      })
    this.#running.set(accountId, { asked: 0, of: 0 })
    try {
      return await search((asked, of) => this.#running.set(accountId, { asked, of }))
    } finally {
      this.#running.delete(accountId)
    }
  }

  /** Returns how far the search of an account is; null while none runs. */
  progressOf(accountId: string): SearchProgress | null {
    return this.#running.get(accountId) ?? null
  }
}
