import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { LaneResult, LaneTask } from './lane.ts'

/** A lane that is begun when it is first asked, and anew after one that had to be ended. */
export interface Lane {
  /** Null when it took longer than `limitMs`. */
  run(task: LaneTask, limitMs: number): Promise<LaneResult | null>
  end(): void
}

/** With `hitsFolder` it says what each test file reaches (`hits.ts`), and does not stop at the first that fails. */
export function openLane(hitsFolder = ''): Lane {
  let child: ChildProcess | null = null

  const begin = async (): Promise<ChildProcess> => {
    // A group of its own: Vitest has workers, and one that hangs hears no word.
    const begun = fork(join(import.meta.dirname, 'lane.ts'), [hitsFolder], {
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    await new Promise<void>((resolve, reject) => {
      begun.once('message', () => resolve())
      begun.once('exit', (code) => reject(new Error(`a lane ended with ${code}`)))
    })
    return begun
  }
  const end = (): void => {
    if (child?.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    child = null
  }
  return {
    end,
    async run(task, limitMs) {
      child ??= await begin()
      const running = child
      const answer = await new Promise<LaneResult | null>((resolve) => {
        const timer = setTimeout(() => done(null), limitMs)
        const done = (result: LaneResult | null): void => {
          clearTimeout(timer)
          running.removeAllListeners('message')
          running.removeAllListeners('exit')
          resolve(result)
        }
        running.once('message', (result: LaneResult) => done(result))
        running.once('exit', () => done(null))
        running.send(task)
      })
      if (answer === null) end()
      return answer
    },
  }
}
