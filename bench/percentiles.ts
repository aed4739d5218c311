/** The middle and the slowest hundredth of some times. */
export function percentiles(values: readonly number[]): { p50: number; p99: number } {
  const sorted = Float64Array.from(values).toSorted()
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}
