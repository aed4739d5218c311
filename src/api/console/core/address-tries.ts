import { type Clock, minuteMs } from '../../../runtime/clock.ts'
import type { SharedCounts } from '../../../runtime/shared-counts.ts'
import { SlidingCount, takeOrRefuse } from '../../../runtime/sliding-count.ts'
import type { TryAddress } from '../../../reach/own-reach.ts'
import type { Reach } from '../../../reach/reach.ts'

/** A person who mends an address tries it every few seconds at most; each try opens connections for up to 5 s. */
const maxTries = 30
const windowMs = 10 * minuteMs

/**
 * Tries the address of phones for accounts. The address is the same for all, so one try at a time serves all who ask
 * meanwhile; the tries of one account, and the links that follow them, are limited over all nodes.
 */
export class AddressTries {
  readonly #tryAddress: TryAddress
  readonly #counts: SlidingCount
  readonly #running = new Map<string, Promise<Reach>>()

  constructor({
    clock,
    counts,
    tryAddress,
  }: {
    clock: Pick<Clock, 'monotonicMs'>
    counts?: SharedCounts
    tryAddress: TryAddress
  }) {
    this.#tryAddress = tryAddress
    const shared = counts === undefined ? undefined : { counts, kind: 'addressTries' }
    this.#counts = new SlidingCount({ clock, shared }, { most: maxTries, windowMs })
  }

  /** Returns the result of a try, or of the one that runs. Refuses an account that has tried too often. */
  async run(accountId: string, address: string): Promise<Reach> {
    takeOrRefuse(this.#counts, accountId)
    const running = this.#running.get(address)
    if (running !== undefined) return running
    const trial = this.#tryAddress(address).finally(() => this.#running.delete(address))
    this.#running.set(address, trial)
    return trial
  }
}
