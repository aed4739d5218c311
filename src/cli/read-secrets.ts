import { readFile } from 'node:fs/promises'
import { CommandError, UsageError } from './command-errors.ts'
import type { CommandIo } from './toolbox.ts'

/** Longer than any password or key, and short enough to be read whole. */
const mostBytes = 65_536

/** One secret from standard input, without the line end. Secrets never come as arguments: other processes can read those. */
export async function readSecretFromStdin(io: CommandIo): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of io.stdin) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes > mostBytes)
      throw new CommandError('secret_too_long', 'What came from standard input is too long to be a secret.')
  }
  return singleLine(Buffer.concat(chunks).toString('utf8'), 'Standard input')
}

/** One secret from a file, without the line end. */
export async function readSecretFromFile(path: string): Promise<string> {
  return singleLine(await readFileOrRefuse(path), path)
}

/** The text of a file that was named on the command line. */
export async function readFileOrRefuse(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CommandError('unreadable_file', `${path} cannot be read: ${(error as Error).message}.`)
  }
}

function singleLine(text: string, source: string): string {
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '' || /[\r\n]/.test(secret))
    throw new CommandError('not_one_line', `${source} must hold exactly one line: the secret.`)
  return secret
}

/** The secrets of a device: `--secret-stdin NAME` and `--secret-file NAME=PATH`. */
export async function readNamedSecrets(
  io: CommandIo,
  given: { fromStdin: string | undefined; fromFiles: readonly string[] },
): Promise<Record<string, string>> {
  const secrets: [string, string][] = []
  for (const entry of given.fromFiles) {
    const split = entry.indexOf('=')
    if (split < 1) throw new UsageError(`--secret-file needs NAME=PATH; it was '${entry}'.`)
    secrets.push([entry.slice(0, split), await readSecretFromFile(entry.slice(split + 1))])
  }
  if (given.fromStdin !== undefined) secrets.push([given.fromStdin, await readSecretFromStdin(io)])
  return Object.fromEntries(secrets)
}
