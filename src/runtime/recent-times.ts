/** How long the last of something took, in milliseconds: enough for its percentiles, and never more memory. */
export class RecentTimes {
  readonly #times = new Float64Array(256)
  #count = 0

  add(durationMs: number): void {
    this.#times[this.#count % this.#times.length] = durationMs
    this.#count += 1
  }

  /** The percentiles asked for, as fractions; 0 while nothing was measured. */
  percentiles(fractions: readonly number[]): number[] {
    const sorted = this.#times.slice(0, Math.min(this.#count, this.#times.length)).toSorted()
    return fractions.map((fraction) => sorted[Math.ceil(sorted.length * fraction) - 1] ?? 0)
  }
}
