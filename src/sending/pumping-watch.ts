import { type Clock, hourMs } from '../runtime/clock.ts'
import type { SharedCounts } from '../runtime/shared-counts.ts'

/** Evidence of SMS pumping. */
export interface PumpingSign {
  /** A number without its last three digits. */
  prefix: string
  /**
   * Numbers in this block that messages were sent to within the hour, and all numbers that the account sent
   * such messages to.
   */
  numbers: number
  all: number
}

const windowMs = hourMs
/** Names of these counts between nodes, and of the reset of an account. */
const kind = 'codes_to'
const resetKind = 'codes_anew'
/**
 * A block has a thousand numbers: among more numbers than this in an hour it cannot be half, and the rest of
 * the hour is not examined.
 */
const maxNumbers = 2_000
/**
 * Maximum hours kept, one each for an account's codes and other messages, and their numbers in total: about
 * 80 MB.
 */
const maxHours = 10_000
const maxInAll = 400_000

/** What is watched separately: codes to a few numbers of a block are suspicious, other messages need more. */
export type Watched = 'codes' | 'others'

interface Hour {
  fromMs: number
  numbers: Set<string>
  byPrefix: Map<string, number>
  /** Too many numbers for any block to stand out. */
  isBroad: boolean
  /** Share of each prefix in the previous hour. */
  sharesBefore: ReadonlyMap<string, number>
}

export const prefixOf = (number: string): string => number.slice(0, -3)

/**
 * Detects SMS pumping: messages to a block of numbers whose owner is paid for each. Its signs are many
 * numbers of one block of a thousand, most of the account's messages going there, and a share that has at
 * least doubled against the previous hour. In memory, exchanged between nodes periodically, and approximate
 * by design.
 */
export class PumpingWatch {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #publish: (kind: string, name: string) => void
  readonly #hours = new Map<string, Hour>()
  #numbers = 0

  constructor(deps: { clock: Pick<Clock, 'monotonicMs'>; counts?: SharedCounts | undefined }) {
    this.#clock = deps.clock
    this.#publish = (...counted) => deps.counts?.count(...counted)
    deps.counts?.listen(kind, (name) => {
      const end = name.indexOf(':')
      this.#add(name.slice(0, end), name.slice(end + 1))
    })
    deps.counts?.listen(resetKind, (accountId) => this.#reset(accountId))
  }

  /**
   * Returns the evidence if these recipients, with those of the last hour, look like pumping; else null.
   * `most` 0 disables the check. Counts nothing: a rejected send, or a repeat, is not a message.
   */
  signOf(accountId: string, watched: Watched, numbers: readonly string[], most: number): PumpingSign | null {
    if (most === 0) return null
    const hour = this.#hourOf(nameOf(accountId, watched))
    const fresh = [...new Set(numbers)].filter((number) => !hour.numbers.has(number))
    const all = hour.numbers.size + fresh.length
    if (hour.isBroad || all > maxNumbers) return null
    const freshThere = countBy(fresh, prefixOf)
    for (const prefix of new Set(numbers.map(prefixOf))) {
      const there = (hour.byPrefix.get(prefix) ?? 0) + (freshThere.get(prefix) ?? 0)
      const share = there / all
      if (there > most && share >= 0.5 && share >= 2 * (hour.sharesBefore.get(prefix) ?? 0))
        return { prefix, numbers: there, all }
    }
    return null
  }

  /** Counts recipients of messages, here and on the other nodes. */
  note(accountId: string, watched: Watched, numbers: readonly string[]): void {
    const name = nameOf(accountId, watched)
    const hour = this.#hourOf(name)
    for (const number of numbers) if (this.#addTo(hour, number)) this.#publish(kind, `${name}:${number}`)
  }

  /**
   * Resets the counts of an account after it was suspended, on the other nodes too. With the old counts, its
   * first code after an operator's check would suspend it again.
   */
  forget(accountId: string): void {
    this.#reset(accountId)
    this.#publish(resetKind, accountId)
  }

  #reset(accountId: string): void {
    for (const watched of ['codes', 'others'] as const) this.#drop(nameOf(accountId, watched))
  }

  #add(name: string, number: string): void {
    this.#addTo(this.#hourOf(name), number)
  }

  /** Returns whether the number is new in this hour. */
  #addTo(hour: Hour, number: string): boolean {
    if (hour.isBroad || hour.numbers.has(number)) return false
    hour.numbers.add(number)
    this.#numbers += 1
    const prefix = prefixOf(number)
    hour.byPrefix.set(prefix, (hour.byPrefix.get(prefix) ?? 0) + 1)
    if (hour.numbers.size > maxNumbers) this.#makeBroad(hour)
    this.#evict(hour)
    return true
  }

  /** Shares below a half are not compared later either: a share that is small now may double. */
  #makeBroad(hour: Hour): void {
    this.#numbers -= hour.numbers.size
    hour.isBroad = true
    hour.numbers = new Set()
    hour.byPrefix = new Map()
  }

  #hourOf(name: string): Hour {
    const nowMs = this.#clock.monotonicMs()
    const known = this.#hours.get(name)
    if (known !== undefined && nowMs - known.fromMs < windowMs) return known
    const isNext = known !== undefined && nowMs - known.fromMs < 2 * windowMs
    const sharesBefore = new Map(
      isNext ? [...known.byPrefix].map(([prefix, there]) => [prefix, there / known.numbers.size]) : [],
    )
    this.#drop(name)
    const hour = {
      fromMs: nowMs,
      numbers: new Set<string>(),
      byPrefix: new Map(),
      isBroad: false,
      sharesBefore,
    }
    this.#hours.set(name, hour)
    this.#evict(hour)
    return hour
  }

  /** Evicts the oldest hours, except for the one that is being counted. */
  #evict(kept: Hour): void {
    for (const [name, hour] of this.#hours) {
      if (this.#hours.size <= maxHours && this.#numbers <= maxInAll) return
      if (hour !== kept) this.#drop(name)
    }
  }

  #drop(name: string): void {
    this.#numbers -= this.#hours.get(name)?.numbers.size ?? 0
    this.#hours.delete(name)
  }
}

function countBy<T>(items: readonly T[], nameOfItem: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(nameOfItem(item), (counts.get(nameOfItem(item)) ?? 0) + 1)
  return counts
}

const nameOf = (accountId: string, watched: Watched): string => `${accountId}/${watched}`
