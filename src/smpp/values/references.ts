import { BoundedMap } from '../../runtime/bounded-map.ts'

/** Numbers that are counted for; of more the one that is longest unused begins anew. */
const maxNumbers = 50_000

/**
 * References that join the parts of a message: a counter of 16 bits for each number, so that two messages to one handset never share one
 * within 256 of them, even where 8 bits are all that fits. They begin at a random place: a restart shall not repeat the last ones.
 */
export class References {
  readonly #last = new BoundedMap<number>(maxNumbers)
  readonly #first: number

  /** `random` is from 0 to below 1. */
  constructor(random: number) {
    this.#first = Math.floor(random * 65_536)
  }

  /** The next reference for a number. */
  next(to: string): number {
    const reference = ((this.#last.get(to) ?? this.#first) + 1) & 0xffff
    this.#last.set(to, reference)
    return reference
  }
}
