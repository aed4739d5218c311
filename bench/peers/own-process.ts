import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { foreignEnv } from '../../test/peers/foreign-tools.ts'

/** A process of a peer that ends with the bench. */
interface OwnProcess {
  pid: number
  stop(): Promise<void>
}

interface OwnStart {
  program: string
  args: readonly string[]
  cwd: string
  /** File that its output goes to. */
  log: string
  env?: Readonly<Record<string, string>>
}

/** Starts one. That it ends by itself ends the bench, with the end of its log. */
export function startOwn({ program, args, cwd, log, env }: OwnStart): OwnProcess {
  const output = openSync(log, 'a')
  const child: ChildProcess = spawn(program, args, { cwd, env: foreignEnv(env), stdio: ['ignore', output, output] }) // prettier-ignore
  closeSync(output)
  const exited = once(child, 'exit')
  const kill = (): void => void child.kill('SIGKILL')
  const died = (code: number | null, signal: string | null): void => {
    throw new Error(`${program} ended (${code ?? signal}):\n${readFileSync(log, 'utf8').slice(-2_000)}`)
  }
  process.once('exit', kill)
  child.once('exit', died)
  return {
    pid: child.pid as number,
    async stop() {
      child.off('exit', died)
      kill()
      await exited
      process.off('exit', kill)
    },
  }
}

const lookEachMs = 2

/** Waits until `look` gives something but null or false; rejects after `withinMs`, saying what was waited for. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | null | false>,
  withinMs = 30_000,
): Promise<T> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await sleep(lookEachMs)) {
    const seen = await look()
    if (seen !== null && seen !== false) return seen
  }
  throw new Error(`${what}: not so within ${withinMs / 1000} s.`)
}

/** Waits until a process listens on a port. */
export const waitForPort = (port: number): Promise<true> =>
  waitFor(`Port ${port} listens`, () =>
    new Promise<boolean>((resolve) => {
      const socket = createConnection(port, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    }).then((listens) => (listens ? (true as const) : null)),
  )

/** Runs a command to its end; gives what it printed. */
export async function runOwn(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { env: foreignEnv(env) })
  return stdout
}
