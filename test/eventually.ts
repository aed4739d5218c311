import { setTimeout as wait } from 'node:timers/promises'

const lookEveryMs = 25
/** An end for what hangs, not a measure: below that of a test, so that the reason is told. */
const endMs = 15_000

/**
 * Looks again and again until the assertion holds, and gives what was seen then; fails with the last reason after `withinMs`. For
 * what another process or the clock of the machine decides, in concurrent tests too (where `expect.poll` loses its test).
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  assertion: (seen: T) => void,
  withinMs = endMs,
): Promise<T> {
  const deadlineMs = performance.now() + withinMs
  for (;;) {
    const seen = await look()
    try {
      assertion(seen)
      return seen
    } catch (error) {
      if (performance.now() >= deadlineMs) throw error
    }
    await wait(lookEveryMs)
  }
}
