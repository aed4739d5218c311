/** So many of the last samples count: enough that one late report does not matter, few enough that a clock set right is soon believed. */
const mostSamples = 5
/** An offset up to this is the way of a request, and nothing is made of it. */
const tolerableMs = 2_000

/**
 * How far the clock of a phone goes before ours. Each sample is what the phone wrote less when it arrived, so that it is too small by the
 * time under way: the largest is the nearest. Timestamps of webhooks are made as they are sent; dates of states may be old.
 */
export class PhoneClock {
  #hooks: number[] = []
  #states: number[] = []

  heard(from: 'hook' | 'state', offsetMs: number): void {
    if (from === 'hook') this.#hooks = [...this.#hooks, offsetMs].slice(-mostSamples)
    else this.#states = [...this.#states, offsetMs].slice(-mostSamples)
  }

  /** 0 when it is not known, or too small to tell from the way of a request. */
  get offsetMs(): number {
    const samples = this.#hooks.length > 0 ? this.#hooks : this.#states
    const offsetMs = samples.length === 0 ? 0 : Math.max(...samples)
    return Math.abs(offsetMs) <= tolerableMs ? 0 : offsetMs
  }
}
