import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A server of others in a process of its own. */
export interface ForeignServer {
  url: string
  stop(): Promise<void>
}

/** Starts one on a port; settles when it answers HTTP. It ends at the latest with this process. */
export async function startForeignServer(
  command: readonly [string, ...string[]],
  { port, env = {}, withinMs = 60_000 }: { port: number; env?: Record<string, string>; withinMs?: number },
): Promise<ForeignServer> {
  const [file, ...args] = command
  const child = spawn(file, args, { stdio: 'ignore', env: { ...process.env, ...env } })
  const ended = once(child, 'exit')
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  const url = `http://127.0.0.1:${port}`
  const untilMs = performance.now() + withinMs
  for (;;) {
    const answers = await fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
      () => true,
      () => false,
    )
    if (answers) break
    if (child.exitCode !== null || performance.now() > untilMs) {
      end()
      throw new Error(`${file} does not answer on port ${port}.`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    url,
    async stop() {
      process.removeListener('exit', end)
      end()
      await ended
    },
  }
}
