/** The clock of the emulator: that of the machine, or one that only `advance` moves. */
export interface ModemClock {
  now(): number
  /** Runs later, and never within this call; gives what calls it off. */
  schedule(delayMs: number, run: () => void): () => void
  /** Runs in order of time what falls due; gives how long it is until the next, null without one. Refused by the machine's clock. */
  advance(ms: number): Promise<number | null>
}

export function createMachineClock(): ModemClock {
  return {
    now: () => Date.now(),
    schedule(delayMs, run) {
      const timer = setTimeout(run, delayMs)
      return () => clearTimeout(timer)
    },
    advance: () =>
      Promise.reject(new Error('This emulator has the clock of the machine: start it with clock: "stub".')),
  }
}

export function createStubClock(startMs: number): ModemClock {
  const tasks = new Set<{ dueMs: number; run: () => void }>()
  let nowMs = startMs
  return {
    now: () => nowMs,
    schedule(delayMs, run) {
      // What is due at once must not wait for a hand on the clock.
      const task = { dueMs: nowMs + delayMs, run }
      if (delayMs <= 0) setImmediate(() => tasks.delete(task) && run())
      tasks.add(task)
      return () => void tasks.delete(task)
    },
    async advance(ms) {
      const untilMs = nowMs + ms
      for (;;) {
        const [next] = [...tasks]
          .filter(({ dueMs }) => dueMs <= untilMs)
          .toSorted((one, other) => one.dueMs - other.dueMs)
        if (next === undefined) break
        tasks.delete(next)
        nowMs = Math.max(nowMs, next.dueMs)
        next.run()
        await new Promise((resolve) => setImmediate(resolve))
      }
      nowMs = untilMs
      return tasks.size === 0 ? null : Math.min(...[...tasks].map(({ dueMs }) => dueMs)) - nowMs
    },
  }
}
