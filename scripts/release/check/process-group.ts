import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a process of `runAsGroup` sends: what it saw, or what does not hold. */
export type Word = { seen: string } | { fault: string }

/**
 * Runs a module as a process with a group of its own, and returns the word that it sends. Rejects with its fault, when it ends without a word, and after
 * `longestMs`. All that it started ends with it, then: servers, mounts, package managers. None of them outlives the caller either (`sendWord`).
 */
export async function runAsGroup(
  module: string,
  {
    args,
    longestMs,
    env = process.env,
    wait = (ms, signal) => sleep(ms, null, { signal }),
  }: {
    args: readonly string[]
    longestMs: number
    env?: NodeJS.ProcessEnv
    wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
  },
): Promise<string> {
  const child = fork(module, args, { detached: true, env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  const over = new AbortController()
  const { signal } = over
  try {
    const word = await Promise.race([
      once(child, 'message', { signal }).then(([found]) => found as Word),
      ended.then(([code, name]): Word => ({ fault: `It ended with ${code ?? name}, without a word.` })),
      wait(longestMs, signal).then((): Word => ({ fault: `It has not ended within ${longestMs / 1000} s.` })),
    ])
    if ('fault' in word) throw new Error(word.fault)
    return word.seen
  } finally {
    over.abort()
    endGroup(child)
    await ended
  }
}

/** Ends a process and all that it started, unless they have ended. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ESRCH') throw error
  }
}

/** In the process of a group: sends what `work` saw or how it failed. The group ends with the process that started it, too. */
export async function sendWord(work: () => Promise<string>): Promise<void> {
  process.on('disconnect', () => process.kill(0, 'SIGKILL'))
  const word: Word = await work().then(
    (seen) => ({ seen }),
    (error: unknown) => ({ fault: error instanceof Error ? error.message : String(error) }),
  )
  process.send?.(word)
}
