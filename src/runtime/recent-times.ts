/** Durations of the most recent operations, in milliseconds: enough for percentiles, in constant memory. */
export class RecentTimes {
  readonly #times = new Float64Array(256)
  #count = 0

  add(durationMs: number): void {
    this.#times[this.#count % this.#times.length] = durationMs
    this.#count += 1
  }

  /** Returns the percentiles of these fractions; 0 while nothing was measured. */
  percentiles(fractions: readonly number[]): number[] {
    const sorted = this.#times.slice(0, Math.min(this.#count, this.#times.length)).toSorted()
    return fractions.map((fraction) => sorted[Math.ceil(sorted.length * fraction) - 1] ?? 0)
  }
}
