/**
 * A logarithmic scale of durations, for counts instead of lists. Step 0 ends at 250 ms; each further step is
 * √2 times as long, so that a value read back is within a fifth of the original. Step 40 ends at 73 h, after
 * the longest wait for a receipt; the last step has no end.
 */
const firstEndMs = 250
const lastStep = 41

/** Returns the step of a duration. A negative one, as after a clock was set back, is in the first step. */
export const stepOf = (durationMs: number): number =>
  durationMs <= firstEndMs ? 0 : Math.min(lastStep, Math.ceil(2 * Math.log2(durationMs / firstEndMs) - 1e-9))

const endOf = (step: number): number => firstEndMs * 2 ** (step / 2)

/** Counts of durations, by step. */
export type TimeCounts = ReadonlyMap<number, number>

/**
 * Returns the duration, in milliseconds, below which the `share` (0 to 1) of them is; null without counts.
 * Values are interpolated within a step. The first step returns its end and the last one its beginning,
 * because no more is known.
 */
export function quantileMs(counts: TimeCounts, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = share * total
  let before = 0
  for (const [step, count] of [...counts].toSorted(([a], [b]) => a - b)) {
    if (before + count < rank) {
      before += count
      continue
    }
    if (step === 0) return firstEndMs
    if (step === lastStep) return endOf(lastStep - 1)
    return endOf(step - 1 + (rank - before) / count)
  }
  return null
}
