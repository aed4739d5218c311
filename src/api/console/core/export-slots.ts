import { refuse } from '../../../runtime/errors.ts'
import type { Db, ReadOf } from '../../../storage/seam/dialect.ts'

interface ExportSlotsDeps {
  openLongReads: () => ReadOf
  /** Maximum exports at the same time: they share one connection, and each keeps one page in memory. */
  most: number
  maxOfAccount: number
}

/** A running export. */
export interface ExportSlot {
  /** Reads for the account on the connection of long reads. */
  db: Db
  /** Ends the export, also before it has started. Further calls have no effect. */
  giveBack(): void
}

/**
 * The connection of long reads, opened on first use, and the limits of concurrent exports, in total and per
 * account.
 */
export class ExportSlots {
  readonly #deps: ExportSlotsDeps
  #readOf: ReadOf | null = null
  #running = 0
  readonly #byAccount = new Map<string, number>()

  constructor(deps: ExportSlotsDeps) {
    this.#deps = deps
  }

  /** Counts an export from now on, before its first byte. Refuses while too many are running. */
  take(accountId: string): ExportSlot {
    const { most, maxOfAccount } = this.#deps
    const own = this.#byAccount.get(accountId) ?? 0
    if (own >= maxOfAccount)
      throw tooMany(`${maxOfAccount} exports of this account are running. Wait until one has finished.`)
    if (this.#running >= most) throw tooMany(`${most} exports are running. Wait until one has finished.`)
    const db = (this.#readOf ??= this.#deps.openLongReads())(accountId)
    this.#add(accountId, 1)
    let isRunning = true
    return {
      db,
      giveBack: () => {
        if (isRunning) this.#add(accountId, -1)
        isRunning = false
      },
    }
  }

  #add(accountId: string, change: 1 | -1): void {
    this.#running += change
    const own = (this.#byAccount.get(accountId) ?? 0) + change
    if (own === 0) this.#byAccount.delete(accountId)
    else this.#byAccount.set(accountId, own)
  }
}

const tooMany = (detail: string) => refuse('rate_limited', { detail, headers: { 'retry-after': '30' } })
