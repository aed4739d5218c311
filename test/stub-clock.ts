import type { Clock } from '../src/runtime/clock.ts'

/** A clock that only moves when a test turns it. */
export interface StubClock extends Clock {
  /**
   * Moves both clocks on and runs, in order of time, every task that falls due on the way, those too that they schedule.
   * Promises that a task left behind get a turn of the event loop each before the next task runs.
   */
  advance(ms: number): Promise<void>
  /** Moves the wall clock alone, as an operator or NTP would. */
  jumpWallClock(ms: number): void
  /** How many tasks are scheduled. */
  readonly waiting: number
  /** How long it is until the next task falls due; infinite without one. */
  readonly nextInMs: number
}

interface Task {
  dueMs: number
  run: () => void
}

/** The Saturday on which the examples of the interface were written. */
const stubStartMs = Date.parse('2026-11-21T09:30:00.000Z')

export function createStubClock(startMs = stubStartMs): StubClock {
  let elapsedMs = 0
  let wallStartMs = startMs
  const tasks = new Set<Task>()

  const nextDue = (untilMs: number): Task | null => {
    let next: Task | null = null
    // A set keeps the order of insertion: of two tasks for one instant the older one runs first.
    for (const task of tasks)
      if (task.dueMs <= untilMs && (next === null || task.dueMs < next.dueMs)) next = task
    return next
  }
  const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  return {
    now: () => wallStartMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    schedule(delayMs, run) {
      const task = { dueMs: elapsedMs + Math.max(0, delayMs), run }
      tasks.add(task)
      return () => void tasks.delete(task)
    },
    async advance(ms) {
      const untilMs = elapsedMs + ms
      for (let task = nextDue(untilMs); task !== null; task = nextDue(untilMs)) {
        tasks.delete(task)
        elapsedMs = Math.max(elapsedMs, task.dueMs)
        task.run()
        await turnOfTheLoop()
      }
      // What ran meanwhile may have moved it further.
      elapsedMs = Math.max(elapsedMs, untilMs)
      await turnOfTheLoop()
    },
    jumpWallClock(ms) {
      wallStartMs += ms
    },
    get waiting() {
      return tasks.size
    },
    get nextInMs() {
      const next = nextDue(Number.POSITIVE_INFINITY)
      return next === null ? Number.POSITIVE_INFINITY : Math.max(0, next.dueMs - elapsedMs)
    },
  }
}
