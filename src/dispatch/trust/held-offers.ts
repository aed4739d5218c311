import type { DeviceTrust } from './device-trust.ts'

/**
 * How many messages a device that fetches was given and has not told the end of, as far as this node knows, and how many it may hold beside a sound
 * device: it sends them one by one, so that a fault which is new costs what it holds.
 */
export class HeldOffers {
  readonly #trust: Pick<DeviceTrust, 'maxBeside' | 'goodInARow'>
  readonly #onlyVisits: () => boolean
  #count = 0

  /** `onlyVisits`: it tells what became of messages when it comes for more, and nothing calls it before. */
  constructor(trust: Pick<DeviceTrust, 'maxBeside' | 'goodInARow'>, onlyVisits: () => boolean) {
    this.#trust = trust
    this.#onlyVisits = onlyVisits
  }

  get count(): number {
    return this.#count
  }

  /** Of one that only visits as many as it has sent well in a row: with five in each visit it would hardly carry anything. */
  get most(): number {
    const { maxBeside, goodInARow } = this.#trust
    return this.#onlyVisits() ? Math.max(maxBeside, goodInARow) : maxBeside
  }

  get left(): number {
    return Math.max(0, this.most - this.#count)
  }

  /** Whether it holds as many as it may. */
  get isFull(): boolean {
    return this.#count > 0 && this.left === 0
  }

  given(): void {
    this.#count += 1
  }

  told(): void {
    this.#count = Math.max(0, this.#count - 1)
  }

  /** They were counted by the database. */
  counted(count: number): void {
    this.#count = count
  }
}
