import { type Clock, hourMs } from '../runtime/clock.ts'
import type { SharedCounts } from '../runtime/shared-counts.ts'

/** What somebody saw who looks for pumping. */
export interface PumpingSign {
  /** A number without its last three digits. */
  prefix: string
  /** Numbers there that messages went to within the hour, and all that messages of that kind of the account went to. */
  numbers: number
  all: number
}

const windowMs = hourMs
/** What nodes call its counts among themselves, and that an account's counting begins anew. */
const kind = 'codes_to'
const anewKind = 'codes_anew'
/** A block has a thousand numbers: of so many written to in an hour it can be half no more, and nothing is looked for until the next. */
const maxNumbers = 2_000
/** Hours that are remembered, of an account's codes and of its other messages one each, and their numbers in all: some 80 MB. */
const maxHours = 10_000
const maxInAll = 400_000

/** What is watched by itself: few neighbours make a pattern of codes, more are needed of anything else. */
export type Watched = 'codes' | 'others'

interface Hour {
  fromMs: number
  numbers: Set<string>
  byPrefix: Map<string, number>
  /** Too many numbers were written to for any block to stand out. */
  isBroad: boolean
  /** Share of each prefix in the hour before. */
  sharesBefore: ReadonlyMap<string, number>
}

export const prefixOf = (number: string): string => number.slice(0, -3)

/**
 * Looks for SMS pumping: somebody has messages sent to a block of numbers that pays him for each. Its marks are many numbers of one block of a
 * thousand, that they are most of what the account sends, and that their share has at least doubled against the hour before. In memory, and told
 * between nodes now and then, approximate by design.
 */
export class PumpingWatch {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #tell: (kind: string, name: string) => void
  readonly #hours = new Map<string, Hour>()
  #numbers = 0

  constructor(deps: { clock: Pick<Clock, 'monotonicMs'>; counts?: SharedCounts | undefined }) {
    this.#clock = deps.clock
    this.#tell = (...counted) => deps.counts?.count(...counted)
    deps.counts?.listen(kind, (name) => {
      const end = name.indexOf(':')
      this.#add(name.slice(0, end), name.slice(end + 1))
    })
    deps.counts?.listen(anewKind, (accountId) => this.#forget(accountId))
  }

  /**
   * What numbers that messages are to go to look like, with those that messages went to within the hour, when that is pumping; else null. `most` 0
   * looks at nothing. Nothing is counted by it: a refused send, or the same again, is no message.
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

  /** Counts numbers that messages go to now, here and on the other nodes. */
  note(accountId: string, watched: Watched, numbers: readonly string[]): void {
    const name = nameOf(accountId, watched)
    const hour = this.#hourOf(name)
    for (const number of numbers) if (this.#addTo(hour, number)) this.#tell(kind, `${name}:${number}`)
  }

  /**
   * What was seen has been acted on: counting begins anew, on the other nodes too. One that went on with what it knew would suspend the account
   * again with its first code after an operator has looked.
   */
  forget(accountId: string): void {
    this.#forget(accountId)
    this.#tell(anewKind, accountId)
  }

  #forget(accountId: string): void {
    for (const watched of ['codes', 'others'] as const) this.#drop(nameOf(accountId, watched))
  }

  #add(name: string, number: string): void {
    this.#addTo(this.#hourOf(name), number)
  }

  /** Says whether the number is new in this hour. */
  #addTo(hour: Hour, number: string): boolean {
    if (hour.isBroad || hour.numbers.has(number)) return false
    hour.numbers.add(number)
    this.#numbers += 1
    const prefix = prefixOf(number)
    hour.byPrefix.set(prefix, (hour.byPrefix.get(prefix) ?? 0) + 1)
    if (hour.numbers.size > maxNumbers) this.#makeBroad(hour)
    this.#makeRoom(hour)
    return true
  }

  /** Of shares below a half nothing is compared with either: what is small now may double. */
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
    this.#makeRoom(hour)
    return hour
  }

  /** The hours that began first make way, but for the one that is being counted. */
  #makeRoom(kept: Hour): void {
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
