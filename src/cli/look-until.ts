import type { Clock } from '../clock.ts'

/** Looks until there is something, for so long at most; null then. */
export async function lookUntil<T>(
  clock: Clock,
  look: () => Promise<T | null | undefined>,
  { withinMs, everyMs }: { withinMs: number; everyMs: number },
): Promise<T | null> {
  const untilMs = clock.monotonicMs() + withinMs
  // The timers of the clock let the process end.
  const alive = setInterval(() => undefined, 3_600_000)
  try {
    for (;;) {
      const found = await look()
      if (found !== null && found !== undefined) return found
      if (clock.monotonicMs() >= untilMs) return null
      await new Promise<void>((resolve) => void clock.schedule(everyMs, resolve))
    }
  } finally {
    clearInterval(alive)
  }
}
