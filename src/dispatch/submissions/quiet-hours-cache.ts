import type { ClaimRequest } from '../../messages/queue/claim-messages.ts'
import type { QuietHours } from '../../messages/queue/quiet-until.ts'
import type { Db } from '../../storage/seam/dialect.ts'

/**
 * The accounts with quiet hours: few, and cached, so that claims for all others cost nothing more. Claims
 * wait for the first read: none is made before the hours are known.
 */
export class QuietHoursCache {
  readonly #read: Db
  #hours: ReadonlyMap<string, QuietHours> | null = null
  #reading: Promise<void> | null = null
  #isStale = false

  constructor(read: Db) {
    this.#read = read
  }

  /** Reads again; called whenever the directory changed. */
  refresh(): Promise<void> {
    this.#isStale = true
    this.#reading ??= this.#readAll()
    return this.#reading
  }

  /** The same requests, with the quiet hours of their accounts; null before the first read. */
  withHours(requests: readonly ClaimRequest[]): readonly ClaimRequest[] | null {
    const hours = this.#hours
    if (hours === null || hours.size === 0) return hours === null ? null : requests
    return requests.map((request) => {
      const quiet = request.mode === 'live' ? hours.get(request.accountId) : undefined
      return quiet === undefined ? request : { ...request, quiet }
    })
  }

  async #readAll(): Promise<void> {
    try {
      while (this.#isStale) {
        this.#isStale = false
        this.#hours = await readHours(this.#read)
      }
    } catch (error) {
      // Until the read succeeds, nothing is claimed.
      this.#hours = null
      throw error
    } finally {
      // In the same step in which nothing was stale any more: a later caller begins the next read.
      this.#reading = null
    }
  }
}

async function readHours(read: Db): Promise<ReadonlyMap<string, QuietHours>> {
  const rows = await read
    .selectFrom('accounts')
    .select(['id', 'quiet_from', 'quiet_until'])
    .where('quiet_from', 'is not', null)
    .execute()
  return new Map(
    rows.map(({ id, quiet_from, quiet_until }) => [
      id,
      { from: quiet_from as number, until: quiet_until as number },
    ]),
  )
}
