import { cli } from '../run-command.ts'
import { makeTestFolder, removeTestFolder } from '../test-database.ts'

export interface CliResult {
  code: number
  stdout: string
  stderr: string
}

export interface Cli {
  dataFolder: string
  /** Runs one command line in this process, as main.ts does. */
  run(line: string | readonly string[], stdin?: string): Promise<CliResult>
  /** The same with --json: gives the document, and throws what was said when the exit code is not 0. */
  json<T = Record<string, unknown>>(line: string | readonly string[], stdin?: string): Promise<T>
  close(): Promise<void>
}

/** The command line on a data folder of its own, where the database has no tables yet if it is to be empty. A line that is one text is split at its spaces. */
export async function openCli(env: Record<string, string> = {}, { isEmpty = false } = {}): Promise<Cli> {
  const dataFolder = await makeTestFolder('onesixty-cli-', { isEmpty })
  const run: Cli['run'] = (line, stdin = '') => {
    const argv = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line
    return cli(argv, { dataFolder, stdin, env })
  }
  return {
    dataFolder,
    run,
    async json<T>(line: string | readonly string[], stdin?: string) {
      const argv = typeof line === 'string' ? `${line} --json` : [...line, '--json']
      const { code, stdout, stderr } = await run(argv, stdin)
      if (code !== 0) throw new Error(`exit code ${code}: ${stdout}${stderr}`)
      if (stderr !== '') throw new Error(`said on standard error: ${stderr}`)
      return JSON.parse(stdout) as T
    },
    close: () => removeTestFolder(dataFolder),
  }
}
