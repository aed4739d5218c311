import { setTimeout as wait } from 'node:timers/promises'

const lookEveryMs = 25
/** An end for what hangs: a machine with other work starts a process in seconds. */
const usuallyWithinMs = 20_000

/**
 * Looks again and again until the assertion holds, and gives what was seen then; fails with the last reason after `withinMs`. For
 * what another process or the clock of the machine decides, in concurrent tests too (where `expect.poll` loses its test).
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  assertion: (seen: T) => void,
  withinMs = usuallyWithinMs,
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

/** Asks again and again until the answer will do; fails with the last one after `withinMs`. */
export const until = <T>(
  ask: () => T | Promise<T>,
  isEnough: (found: T) => boolean,
  withinMs = 60_000,
): Promise<T> =>
  eventually(
    ask,
    (found) => {
      if (!isEnough(found))
        throw new Error(`Not so within ${withinMs / 1000} s: ${JSON.stringify(found).slice(0, 300)}`)
    },
    withinMs,
  )
