import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'

/** What a person did, in order. One entry is one action: typing a line or into a field, pressing, tapping, running a command. */
export interface Person {
  readonly actions: readonly string[]
  act<T>(what: string, doIt: () => Promise<T> | T): Promise<T>
}

export function newPerson(): Person {
  const actions: string[] = []
  return {
    actions,
    async act(what, doIt) {
      actions.push(what)
      return doIt()
    },
  }
}

/** A command on a terminal of its own (`script` of util-linux), at which a person reads and types. */
export interface Screen {
  /** All that was shown, without the codes that move and color it. */
  shown(): string
  /** Waits until the screen shows this after what was read before, and gives the match. */
  reads(words: RegExp, withinMs?: number): Promise<RegExpExecArray>
  types(line: string): void
  ended: Promise<number | null>
}

// Written by `ProgressLines`: up some rows, and clear what is below.
// oxlint-disable-next-line no-control-regex
const codes = /\u001b\[[\d;]*[A-Za-z]|\r/g

/** Runs a command line as it was printed, in the folder of the repository. It ends with the test. */
export function openScreen(line: string, env: Record<string, string>): Screen {
  const child = spawn('script', ['-qefc', `exec ${line}`, '/dev/null'], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  let read = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const shown = (): string => output.replaceAll(codes, '')
  return {
    shown,
    async reads(words, withinMs = 20_000) {
      const found = await eventually(
        () => words.exec(shown().slice(read)),
        (match) => expect(match, `${String(words)} in:\n${shown().slice(read)}`).not.toBeNull(),
        withinMs,
      )
      const match = found as RegExpExecArray
      read += match.index + match[0].length
      return match
    },
    types: (text) => void child.stdin.write(`${text}\n`),
    ended: once(child, 'exit').then(([code]) => code as number | null),
  }
}
