import { setTimeout as wait } from 'node:timers/promises'

const lookEveryMs = 25

/**
 * Looks again and again until the assertion holds, and gives what was seen then; fails with the last reason after `withinMs`. For
 * what another process or the clock of the machine decides, in concurrent tests too (where `expect.poll` loses its test).
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  assertion: (seen: T) => void,
  withinMs = 5_000,
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
