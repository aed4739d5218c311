import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { LaneResult, LaneTask } from './lane.ts'

/** A lane that is begun when it is first asked, and anew after one that had to be ended. */
export interface Lane {
  /** Null when it took longer than `limitMs`. */
  run(task: LaneTask, limitMs: number): Promise<LaneResult | null>
  end(): void
}

const laneScript = join(import.meta.dirname, 'lane.ts')

/** With `hitsFolder` it says what each test file reaches (`hits.ts`), and does not stop at the first that fails. */
export function openLane(hitsFolder = '', script = laneScript): Lane {
  let child: ChildProcess | null = null

  const begin = async (): Promise<ChildProcess> => {
    // A group of its own: Vitest has workers, and one that hangs hears no word.
    const begun = fork(script, [hitsFolder], {
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
    const ending = child
    child = null
    if (ending?.pid !== undefined) killGroup(ending.pid)
  }
  return {
    end,
    async run(task, limitMs) {
      // One that has ended between two tasks hears none.
      if (child !== null && !isRunning(child)) end()
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
        running.send(task, (error) => void (error !== null && done(null)))
      })
      if (answer === null) end()
      return answer
    },
  }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null

/** Of a process that has ended the group is there as long as a worker of it is. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
