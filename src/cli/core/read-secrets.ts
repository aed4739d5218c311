import { readFile } from 'node:fs/promises'
import { CommandError, UsageError } from './command-errors.ts'
import type { CommandIo } from './command-context.ts'

/** Longer than any password or key, and short enough to read into memory. */
const maxBytes = 65_536

/** Reads one secret from standard input, without the line end. Other processes can read arguments. */
export async function readSecretFromStdin(io: CommandIo): Promise<string> {
  const text = await readStdin(io, { code: 'secret_too_long', what: 'a secret' })
  return singleLine(text, 'Standard input')
}

/** Reads standard input to its end. Throws `CommandError` with the code where it is longer than what it is for. */
export async function readStdin(
  io: Pick<CommandIo, 'stdin'>,
  { code, what }: { code: string; what: string },
): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of io.stdin) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes > maxBytes)
      throw new CommandError(
        code,
        `Standard input is too long for ${what}: the maximum is ${maxBytes / 1_024} KiB.`,
      )
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads one secret from a file, without the line end. */
export async function readSecretFromFile(path: string): Promise<string> {
  return singleLine(await readFileOrRefuse(path), path)
}

/** Reads a file that was named on the command line. */
export async function readFileOrRefuse(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CommandError('unreadable_file', `Cannot read ${path}: ${(error as Error).message}.`)
  }
}

function singleLine(text: string, source: string): string {
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '' || /[\r\n]/.test(secret))
    throw new CommandError('not_one_line', `${source} must contain exactly one line: the secret.`)
  return secret
}

/** Reads the secrets of a device: `--secret-stdin NAME` and `--secret-file NAME=PATH`. */
export async function readNamedSecrets(
  io: CommandIo,
  given: { fromStdin: string | undefined; fromFiles: readonly string[] },
): Promise<Record<string, string>> {
  const secrets: [string, string][] = []
  for (const entry of given.fromFiles) {
    const split = entry.indexOf('=')
    if (split < 1) throw new UsageError(`--secret-file must be NAME=PATH, not '${entry}'.`)
    secrets.push([entry.slice(0, split), await readSecretFromFile(entry.slice(split + 1))])
  }
  if (given.fromStdin !== undefined) secrets.push([given.fromStdin, await readSecretFromStdin(io)])
  return Object.fromEntries(secrets)
}
