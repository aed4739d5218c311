/** The waits of one phone, scaled, and its wall clock, which is not. */
export interface PhoneTime {
  /** Wall clock of the phone, ms. */
  now(): number
  /** Runs it after so much of the phone's time; returns what takes it back. */
  after(delayMs: number, run: () => void): () => void
  /** Until an instant of its wall clock, which is real time. */
  at(instantMs: number, run: () => void): () => void
  /** Takes everything back that still waits. */
  clear(): void
}

/** As far as setTimeout reaches. */
const longestMs = 2 ** 31 - 1

export function createPhoneTime(knobs: () => { timeScale: number; clockOffsetMs: number }): PhoneTime {
  const timers = new Set<NodeJS.Timeout>()
  const inRealTime = (delayMs: number, run: () => void): (() => void) => {
    const timer = setTimeout(
      () => {
        timers.delete(timer)
        run()
      },
      Math.min(longestMs, Math.max(0, delayMs)),
    )
    timers.add(timer)
    return () => {
      clearTimeout(timer)
      timers.delete(timer)
    }
  }
  const now = (): number => Date.now() + knobs().clockOffsetMs
  return {
    now,
    after: (delayMs, run) => inRealTime(delayMs / knobs().timeScale, run),
    at: (instantMs, run) => inRealTime(instantMs - now(), run),
    clear() {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}
