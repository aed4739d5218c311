const hourMs = 3_600_000

/** How many of these times, and `atMs` beside them, lie within one hour that holds it, where that is fullest. */
export function busiestHour(times: readonly number[], atMs: number): number {
  const sorted = [...times, atMs].toSorted((a, b) => a - b)
  let most = 0
  let from = 0
  for (const [to, time] of sorted.entries()) {
    while (time - (sorted[from] as number) >= hourMs) from += 1
    if (time >= atMs && (sorted[from] as number) <= atMs) most = Math.max(most, to - from + 1)
  }
  return most
}

/** From when to when lies what may share an hour with this time; both ends do not. */
export const hoursAround = (atMs: number): { afterMs: number; beforeMs: number } => ({
  afterMs: atMs - hourMs,
  beforeMs: atMs + hourMs,
})
