import { BoundedMap } from '../runtime/bounded-map.ts'

/** Numbers with a counter; beyond this the least recently used one starts over. */
const maxNumbers = 50_000

/**
 * References that join the parts of a message: a counter of 16 bits per number, so that two messages to one
 * handset never share one within 256 of them, even where only 8 bits fit. They begin at a random value, so
 * that a restart does not repeat the last ones.
 */
export class References {
  readonly #last = new BoundedMap<number>(maxNumbers)
  readonly #first: number

  /** `random` is from 0 to below 1. */
  constructor(random: number) {
    this.#first = Math.floor(random * 65_536)
  }

  /** Returns the next reference for a number. */
  next(to: string): number {
    const reference = ((this.#last.get(to) ?? this.#first) + 1) & 0xffff
    this.#last.set(to, reference)
    return reference
  }
}
