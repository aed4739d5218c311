import { refuse } from '../../../runtime/errors.ts'
import type { Db, ReadOf } from '../../../storage/seam/dialect.ts'

interface ExportSlotsDeps {
  openLongReads: () => ReadOf
  /** Exports at the same time: they share one connection, and each holds one page in memory. */
  most: number
  maxOfAccount: number
}

/** An export that is under way. */
export interface ExportSlot {
  /** Reads for the account, in nobody's way. */
  db: Db
  /** It has ended, or will not begin after all; a second time says nothing new. */
  giveBack(): void
}

/** The connection of long reads, opened when it is first needed, and how many may use it at once, in all and of one account. */
export class ExportSlots {
  readonly #deps: ExportSlotsDeps
  #readOf: ReadOf | null = null
  #running = 0
  readonly #byAccount = new Map<string, number>()

  constructor(deps: ExportSlotsDeps) {
    this.#deps = deps
  }

  /** Counts one from now on, whatever is still to be done before its first byte. Refuses while too many others run. */
  take(accountId: string): ExportSlot {
    const { most, maxOfAccount } = this.#deps
    const own = this.#byAccount.get(accountId) ?? 0
    if (own >= maxOfAccount)
      throw tooMany(`${maxOfAccount} exports of this account are running; wait until one has ended.`)
    if (this.#running >= most) throw tooMany(`${most} exports are running; wait until one has ended.`)
    const db = (this.#readOf ??= this.#deps.openLongReads())(accountId)
    this.#add(accountId, 1)
    let isTaken = true
    return {
      db,
      giveBack: () => {
        if (isTaken) this.#add(accountId, -1)
        isTaken = false
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
