import type { DeviceTrust } from './device-trust.ts'

/**
 * Counts the messages that a device that fetches was given and has not reported as final, as far as this node
 * knows, and limits how many it may hold next to a healthy device: it sends one at a time, so a new fault
 * costs what it holds.
 */
export class HeldOffers {
  readonly #trust: Pick<DeviceTrust, 'maxWithOthers' | 'goodInARow'>
  readonly #onlyVisits: () => boolean
  #count = 0

  /** `onlyVisits`: it reports when it fetches, and cannot be woken before. */
  constructor(trust: Pick<DeviceTrust, 'maxWithOthers' | 'goodInARow'>, onlyVisits: () => boolean) {
    this.#trust = trust
    this.#onlyVisits = onlyVisits
  }

  get count(): number {
    return this.#count
  }

  /**
   * For one that only visits, as many as it has sent successfully in a row: with five per visit it would
   * hardly carry anything.
   */
  get most(): number {
    const { maxWithOthers, goodInARow } = this.#trust
    // Its link is asked last: each phone is looked at for each fetch of any phone.
    return goodInARow > maxWithOthers && this.#onlyVisits() ? goodInARow : maxWithOthers
  }

  get left(): number {
    return Math.max(0, this.most - this.#count)
  }

  /** Whether it holds its maximum. */
  get isFull(): boolean {
    return this.#count > 0 && this.left === 0
  }

  given(): void {
    this.#count += 1
  }

  finished(): void {
    this.#count = Math.max(0, this.#count - 1)
  }

  /** Applies the count of the database. */
  counted(count: number): void {
    this.#count = count
  }
}
