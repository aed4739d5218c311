import { CommandError, UsageError } from './command-errors.ts'
import type { CommandIo } from './command-context.ts'

const maxLength = 1_000
const [enter, newLine, interrupt, end, backspace, erase] = ['\r', '\n', '\u0003', '\u0004', '\b', '\u007f']

/**
 * Asks for a secret at the terminal without showing it. Rejects when standard input is no terminal: `--help`
 * names the option that reads it from there.
 */
export async function askSecret({ stdin, stderr }: CommandIo, prompt: string): Promise<string> {
  if (stdin.isTTY !== true || stdin.setRawMode === undefined)
    throw new UsageError('Standard input is not a terminal: give --password-stdin.')
  stderr.write(prompt)
  stdin.setRawMode(true)
  try {
    return await readLine(stdin)
  } finally {
    stdin.setRawMode(false)
    stderr.write('\n')
  }
}

async function readLine(stdin: CommandIo['stdin']): Promise<string> {
  let typed = ''
  for await (const chunk of stdin) {
    for (const key of Buffer.from(chunk).toString('utf8')) {
      if (key === enter || key === newLine) return nonEmpty(typed)
      if (key === interrupt || key === end) throw new CommandError('interrupted', 'Interrupted.')
      if (key === backspace || key === erase) typed = [...typed].slice(0, -1).join('')
      else if (typed.length < maxLength) typed += key
    }
  }
  return nonEmpty(typed)
}

function nonEmpty(typed: string): string {
  if (typed === '') throw new CommandError('not_one_line', 'The password is empty.')
  return typed
}
