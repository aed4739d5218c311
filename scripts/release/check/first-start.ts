import { type ChildProcess, execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { until } from '../../../test/eventually.ts'
import { freePort } from '../../../test/free-port.ts'
import { untilReady, watchChild } from '../../../test/server-child.ts'

/** An installed program. */
export interface Installed {
  /** Starts it with arguments and settings; nothing else of this environment reaches it. */
  start(args: readonly string[], settings: Readonly<Record<string, string>>): ChildProcess
  /** Its data folder, as the program sees it. */
  data: string
  /** Sends a signal to a server, where that is another process than the one that was started. */
  signal?(server: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void
}

/** A started server of an installed program. */
export interface Server {
  url: string
  /** Of the process that was started: the program itself, or what started it. */
  child: ChildProcess
  /** Milliseconds until /readyz was 200. */
  readyMs: number
  settings: Readonly<Record<string, string>>
  output(): string
  /** Stops it by SIGTERM, as its supervisor would, and returns its exit code. */
  stop(): Promise<number | null>
  /** Ends it at once, if it still runs. */
  kill(): void
}

/** An end for what hangs; under qemu a start takes half a minute. */
const readyWithinMs = 180_000
const endsWithinMs = 60_000

/** Starts a server and waits until it is ready. Throws with what it wrote when it ends before. */
export async function startServer(
  installed: Installed,
  given: { port?: number; settings?: Readonly<Record<string, string>> } = {},
): Promise<Server> {
  const port = given.port ?? (await freePort())
  const settings = { ONESIXTY_PORT: String(port), ONESIXTY_DATA: installed.data, ...given.settings }
  const startedMs = performance.now()
  const child = installed.start(['serve'], settings)
  const watched = watchChild(child)
  const signal = (name: 'SIGTERM' | 'SIGKILL'): void => {
    if (child.exitCode !== null || child.signalCode !== null) return
    if (installed.signal === undefined) child.kill(name)
    else installed.signal(child, name)
  }
  await untilReady(watched, { port, readyWithinMs, giveUp: () => signal('SIGKILL') })
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    settings,
    readyMs: performance.now() - startedMs,
    output: watched.output,
    async stop() {
      signal('SIGTERM')
      const late = new AbortController()
      const end = await Promise.race([watched.ended, sleep(endsWithinMs, null, { signal: late.signal })])
      late.abort()
      if (end === null) throw new Error(`The server did not end within ${endsWithinMs / 1000} s of SIGTERM.`)
      return end.code
    },
    kill: () => signal('SIGKILL'),
  }
}

/** Runs a command of an installed program to its end. */
export async function runCommand(
  installed: Installed,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; output: string }> {
  const child = installed.start(args, { ONESIXTY_DATA: installed.data, ...settings })
  const { ended, output } = watchChild(child)
  const { code } = await ended
  return { code, output: output().trim() }
}

/**
 * Does what a person does in the first ten minutes: starts the program, runs the `curl` that it prints, reads the status until it is `delivered`, asks the
 * doctor, stops. `while` looks at the running server. Returns what was seen; throws at the first thing that is not so.
 */
export async function proveFirstStart(
  installed: Installed,
  { while: look = async () => '' }: { while?: (server: Server) => Promise<string> } = {},
): Promise<string> {
  const server = await startServer(installed)
  try {
    await sendAsPrinted(server)
    const { code, output } = await runCommand(installed, ['doctor'], server.settings)
    if (code !== 0) throw new Error(`The doctor says: ${lastOf(output)}`)
    const seen = await look(server)
    const end = await server.stop()
    if (end !== 0) throw new Error(`The server ended with ${end} after SIGTERM: ${lastOf(server.output())}`)
    const checks = output.match(/^ok\b/gm)?.length ?? 0
    return `ready after ${Math.round(server.readyMs)} ms, the printed curl delivered, doctor (${checks} checks)${seen === '' ? '' : `, ${seen}`}, ended with 0`
  } finally {
    server.kill()
  }
}

/** Runs the two commands that the first start prints, as they are printed. */
async function sendAsPrinted(server: Server): Promise<void> {
  const printed = await until(
    async () => server.output().match(/^ {2}curl .*$/gm) ?? [],
    ({ length }) => length >= 2,
  )
  const [send = '', status = ''] = printed.map((line) => line.trim().replace('curl ', 'curl -sS '))
  const sh = async (command: string): Promise<string> =>
    (await promisify(execFile)('sh', ['-c', command])).stdout
  const answer = await sh(send)
  if (!answer.includes('"status":"queued"')) throw new Error(`The printed curl got: ${answer.slice(0, 300)}`)
  await until(
    () => sh(status),
    (history) => history.includes('"status":"delivered"'),
  )
}

const lastOf = (output: string): string => output.trim().split('\n').slice(-3).join(' ').slice(-400)
