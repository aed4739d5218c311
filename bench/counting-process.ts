import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A server in a process of its own that counts what reaches it. */
export interface CountingProcess<Counts> {
  port: number
  count(): Promise<Counts>
  stop(): void
}

/** Starts a module that sends its port once it listens, and its counts whenever it is sent anything. */
export async function startCounting<Counts>(
  file: string,
  args: readonly string[] = [],
): Promise<CountingProcess<Counts>> {
  const child = fork(file, args, { execArgv: [] })
  const [port] = (await once(child, 'message')) as [number]
  return {
    port,
    async count() {
      const answer = once(child, 'message')
      child.send('count')
      const [counts] = (await answer) as [Counts]
      return counts
    },
    stop: () => void child.kill(),
  }
}
