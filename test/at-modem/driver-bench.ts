import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { foreignEnv } from '../peers/foreign-tools.ts'
import { type ModemOptions, type PooledModem, startPooledModem } from './modem-pool.ts'
import { openPty, type SerialPty } from '../peers/serial-pty.ts'

/** An emulated modem, and a folder in which a foreign driver finds its port and its configuration. All of it ends with the test. */
export interface DriverBench {
  modem: PooledModem
  folder: string
  /** The serial port that `plug` makes. */
  tty: string
  /** Gives a file in the folder these lines, and its path. */
  file(name: string, ...lines: string[]): string
  /** With `staysOpen` the port lasts from driver to driver. */
  plug(options?: { staysOpen: boolean }): Promise<SerialPty>
  /** Runs a command to its end with the modem at `tty`; gives what it said. */
  run(
    command: string,
    args: readonly string[],
    input?: string,
    env?: Record<string, string | undefined>,
  ): Promise<string>
  /** Runs a command that needs no port. */
  runBare(command: string, args: readonly string[], env?: Record<string, string | undefined>): Promise<string>
  /** Starts what stays, and gives what it said so far. It ends before the port and the folder. */
  start(command: string, args: readonly string[], env?: Record<string, string | undefined>): () => string
}

/** gnokii 0.6.30 cuts the path of a port behind 31 characters, and opens what that names. */
const shortFolder = '/tmp'

export async function openBench(options: ModemOptions = {}): Promise<DriverBench> {
  const folder = mkdtempSync(join(shortFolder, 'onesixty-driver-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const modem = await startPooledModem('machine', options)
  const tty = join(folder, 'tty')
  const plug: DriverBench['plug'] = async (how) => {
    const pty = await openPty(modem.port, tty, how)
    onTestFinished(() => pty.unplug())
    return pty
  }
  return {
    modem,
    folder,
    tty,
    file(name, ...lines) {
      writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
      return join(folder, name)
    },
    plug,
    async run(command, args, input = '', env = foreignEnv()) {
      const pty = await plug()
      const said = await runToEnd(command, args, { input, env })
      await pty.unplug()
      return said
    },
    runBare: (command, args, env = foreignEnv()) => runToEnd(command, args, { input: '', env }),
    start(command, args, env = foreignEnv()) {
      const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
      const ended = once(child, 'close')
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (bytes: Buffer) => {
          said += bytes.toString()
        })
      onTestFinished(async () => {
        if (child.exitCode === null && child.signalCode === null) child.kill()
        await ended
      })
      return () => said
    },
  }
}

/** Both streams, since drivers are free in which one they use; rejects with them where the command fails. */
const runToEnd = (
  command: string,
  args: readonly string[],
  { input, env }: { input: string; env: Record<string, string | undefined> },
): Promise<string> =>
  // prettier-ignore
  new Promise((resolve, reject) => {
    const child = execFile(command, args, { env, timeout: 15_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout + stderr)
      else reject(new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error }))
    })
    // A command that ends before it has read its input is judged by how it ended.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
