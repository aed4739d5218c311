import { type Clock, systemClock } from '../src/runtime/clock.ts'

/** The machine's clock, which a test may set ahead: what waits for a long back-off is due at once. */
export interface SkippingClock extends Clock {
  /** Sets both clocks ahead, and runs soon what has become due. */
  skip(ms: number): void
}

interface Waiting {
  dueMs: number
  task: () => void
  cancel: () => void
}

/** For a whole server, whose sockets and peers need real time; what needs none takes `createStubClock`. */
export function createSkippingClock(): SkippingClock {
  let skippedMs = 0
  const all = new Set<Waiting>()
  const monotonicMs = (): number => systemClock.monotonicMs() + skippedMs
  const arm = (waiting: Waiting): void => {
    waiting.cancel = systemClock.schedule(waiting.dueMs - monotonicMs(), () => {
      all.delete(waiting)
      waiting.task()
    })
  }
  return {
    now: () => systemClock.now() + skippedMs,
    monotonicMs,
    schedule(delayMs, task) {
      const waiting = { dueMs: monotonicMs() + Math.max(0, delayMs), task, cancel: () => undefined }
      all.add(waiting)
      arm(waiting)
      return () => {
        all.delete(waiting)
        waiting.cancel()
      }
    },
    skip(ms) {
      skippedMs += ms
      for (const waiting of all) {
        waiting.cancel()
        arm(waiting)
      }
    },
  }
}
