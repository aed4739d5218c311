import { runCommandLine } from '../src/cli/command-line.ts'
import { databaseSettings } from './test-database.ts'

export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/**
 * Runs one command line on a data folder in this process, which a process of its own takes most of a second for. The mask of files, the flags of the
 * engine and the real streams belong to `bin/` and main.ts: what is about them runs a process (`cliProcess`).
 */
export async function cli(
  args: readonly string[],
  { dataFolder, stdin = '', env = {} }: { dataFolder: string; stdin?: string; env?: Record<string, string> },
): Promise<CommandResult & { code: number }> {
  const said = { stdout: '', stderr: '' }
  const code = await runCommandLine(args, {
    stdout: { write: (text) => void (said.stdout += text) },
    stderr: { write: (text) => void (said.stderr += text) },
    stdin: bytesOf(stdin),
    env: { ...databaseSettings(dataFolder), ...env },
  })
  return { code, ...said }
}

async function* bytesOf(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text)
}

/** Runs a command with `--json` that must succeed, and gives what it printed. */
export async function cliJson<T>(
  args: readonly string[],
  dataFolder: string,
  env: Record<string, string> = {},
): Promise<T> {
  const { code, stdout, stderr } = await cli([...args, '--json'], { dataFolder, env })
  if (code !== 0) throw new Error(`onesixty ${args.join(' ')} failed: ${stderr}${stdout}`)
  return JSON.parse(stdout) as T
}
