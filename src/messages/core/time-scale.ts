/**
 * A logarithmic scale of durations, for counts instead of lists: step 0 ends at 250 ms and each further one is √2 as long, so that what is
 * read back is within a fifth of what was. Step 40 ends at 73 h, behind the longest wait for a receipt; the last step has no end.
 */
const firstEndMs = 250
const lastStep = 41

/** The step in which a duration falls; one below 0, as after a clock was set back, falls in the first. */
export const stepOf = (durationMs: number): number =>
  durationMs <= firstEndMs ? 0 : Math.min(lastStep, Math.ceil(2 * Math.log2(durationMs / firstEndMs) - 1e-9))

const endOf = (step: number): number => firstEndMs * 2 ** (step / 2)

/** How many took how long, by step. */
export type TimeCounts = ReadonlyMap<number, number>

/**
 * The duration below which the `share` (0 to 1) of them lies, in milliseconds; null when there are none. Between the ends of a step it goes
 * evenly along the scale. The first step gives its end, the last one its beginning: more is not known.
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
