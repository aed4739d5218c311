import type { Clock } from '../../clock.ts'
import type { SharedCounts } from '../../shared-counts.ts'

/** What somebody saw who looks for pumping. */
export interface PumpingSign {
  /** A number without its last three digits. */
  prefix: string
  /** Numbers there that codes went to within the hour, and all that codes of the account went to. */
  numbers: number
  all: number
}

const windowMs = 3_600_000
/** What nodes call its counts among themselves, and that an account's counting begins anew. */
const kind = 'codes_to'
const anewKind = 'codes_anew'
/** Numbers of one account that are remembered; who writes codes to more in an hour has a share that no few neighbours can be. */
const mostNumbers = 20_000
const mostAccounts = 10_000

interface Hour {
  fromMs: number
  numbers: Set<string>
  byPrefix: Map<string, number>
  /** Share of each prefix in the hour before. */
  sharesBefore: ReadonlyMap<string, number>
}

export const prefixOf = (number: string): string => number.slice(0, -3)

/**
 * Looks for SMS pumping: somebody has codes sent to a block of numbers that pays him for each. Its marks are many numbers of one block of a
 * thousand, that they are most of the account's codes, and that their share has at least doubled against the hour before. In memory, and told
 * between nodes now and then, approximate by design.
 */
export class PumpingWatch {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #tell: (kind: string, name: string) => void
  readonly #hours = new Map<string, Hour>()

  constructor(deps: { clock: Pick<Clock, 'monotonicMs'>; counts?: SharedCounts | undefined }) {
    this.#clock = deps.clock
    this.#tell = (...counted) => deps.counts?.count(...counted)
    deps.counts?.listen(kind, (name) => {
      const end = name.indexOf(':')
      this.#add(name.slice(0, end), name.slice(end + 1))
    })
    deps.counts?.listen(anewKind, (accountId) => this.#hours.delete(accountId))
  }

  /** Takes note of numbers that codes are to go to; gives what they look like when that is pumping, else null. `most` 0 looks at nothing. */
  note(accountId: string, numbers: readonly string[], most: number): PumpingSign | null {
    if (most === 0) return null
    for (const number of numbers) if (this.#add(accountId, number)) this.#tell(kind, `${accountId}:${number}`)
    const hour = this.#hours.get(accountId)
    if (hour === undefined) return null
    for (const prefix of new Set(numbers.map(prefixOf))) {
      const there = hour.byPrefix.get(prefix) ?? 0
      const share = there / hour.numbers.size
      const shareBefore = hour.sharesBefore.get(prefix) ?? 0
      if (there > most && share >= 0.5 && share >= 2 * shareBefore)
        return { prefix, numbers: there, all: hour.numbers.size }
    }
    return null
  }

  /**
   * What was seen has been acted on: counting begins anew, on the other nodes too. One that went on with what it knew would suspend the account
   * again with its first code after an operator has looked.
   */
  forget(accountId: string): void {
    this.#hours.delete(accountId)
    this.#tell(anewKind, accountId)
  }

  /** Says whether the number is new in this hour. */
  #add(accountId: string, number: string): boolean {
    const hour = this.#hourOf(accountId)
    if (hour.numbers.has(number) || hour.numbers.size >= mostNumbers) return false
    hour.numbers.add(number)
    const prefix = prefixOf(number)
    hour.byPrefix.set(prefix, (hour.byPrefix.get(prefix) ?? 0) + 1)
    return true
  }

  #hourOf(accountId: string): Hour {
    const nowMs = this.#clock.monotonicMs()
    const known = this.#hours.get(accountId)
    if (known !== undefined && nowMs - known.fromMs < windowMs) return known
    const isNext = known !== undefined && nowMs - known.fromMs < 2 * windowMs
    const sharesBefore = new Map(
      isNext ? [...known.byPrefix].map(([prefix, there]) => [prefix, there / known.numbers.size]) : [],
    )
    const hour = { fromMs: nowMs, numbers: new Set<string>(), byPrefix: new Map(), sharesBefore }
    this.#hours.delete(accountId)
    if (this.#hours.size >= mostAccounts) {
      for (const oldest of this.#hours.keys()) {
        this.#hours.delete(oldest)
        break
      }
    }
    this.#hours.set(accountId, hour)
    return hour
  }
}
