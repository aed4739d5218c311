import type { Clock } from '../../runtime/clock.ts'

/** Repeats `look` until it returns a value; returns null after `withinMs`. */
export async function lookUntil<T>(
  clock: Clock,
  look: () => Promise<T | null | undefined>,
  { withinMs, everyMs }: { withinMs: number; everyMs: number },
): Promise<T | null> {
  const untilMs = clock.monotonicMs() + withinMs
  // The clock's timers do not keep the process alive.
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
