import { askSecret } from './ask-secret.ts'
import { CommandError } from './command-errors.ts'
import type { CommandIo } from './command-context.ts'

const maxLength = 1_000

/** Whether a person sits at both ends of a command. */
export const isTerminal = ({ stdin, stdout }: Pick<CommandIo, 'stdin' | 'stdout'>): boolean =>
  stdin.isTTY === true && stdin.setRawMode !== undefined && stdout.isTTY === true

/** Lines and secrets that a user types, one after another. `close` ends the reading, so that the process can end. */
export class Terminal {
  readonly #io: CommandIo
  readonly #chunks: AsyncIterator<Uint8Array | string>
  #typed = ''
  #next: Promise<string> | null = null
  readonly #interrupted = Promise.withResolvers<never>()

  constructor(io: CommandIo) {
    this.#io = io
    this.#chunks = io.stdin[Symbol.asyncIterator]()
    // It matters to who waits for a line, and to no one else.
    this.#interrupted.promise.catch(() => undefined)
  }

  print(text: string): void {
    this.#io.stdout.write(`${text}\n`)
  }

  /** Asks for a line; an empty one is `otherwise`. `afterMs` later `late` is printed, and the question again. */
  async ask(
    prompt: string,
    late?: { schedule: (run: () => void) => () => void; text: string },
  ): Promise<string> {
    this.#io.stdout.write(prompt)
    const cancel = late?.schedule(() => this.#io.stdout.write(`\n    ${late.text}\n${prompt}`))
    try {
      return await this.line()
    } finally {
      cancel?.()
    }
  }

  /** The next line, without blanks around it. A line that was asked for and not awaited is the next one. */
  async line(): Promise<string> {
    this.#next ??= this.#read()
    // A read that nothing awaits any more ends when the terminal is closed.
    this.#next.catch(() => undefined)
    const line = await Promise.race([this.#next, this.#interrupted.promise])
    this.#next = null
    return line
  }

  /** Asks for a secret, and does not show what is typed. */
  secret(prompt: string): Promise<string> {
    if (this.#next !== null) throw new Error('a line is still awaited')
    const { stdin } = this.#io
    const chunks = { next: () => this.#chunks.next() }
    // Without `return`, so that the input stays open for the next question.
    const typed = {
      [Symbol.asyncIterator]: () => chunks,
      isTTY: true,
      setRawMode: (isRaw: boolean) => stdin.setRawMode?.(isRaw),
    }
    return askSecret({ ...this.#io, stdin: typed, stderr: this.#io.stdout }, prompt)
  }

  /** Ends the present wait for a line, and all later ones, as Ctrl-C does. */
  interrupt(): void {
    this.#interrupted.reject(new CommandError('interrupted', 'Interrupted.'))
  }

  close(): void {
    this.#io.stdin.destroy?.()
  }

  async #read(): Promise<string> {
    for (;;) {
      const end = this.#typed.indexOf('\n')
      if (end >= 0) {
        const line = this.#typed.slice(0, end)
        this.#typed = this.#typed.slice(end + 1)
        return line.trim()
      }
      const { value, done } = await this.#chunks.next()
      if (done === true) throw new CommandError('interrupted', 'Interrupted.')
      this.#typed = (this.#typed + Buffer.from(value).toString('utf8')).slice(-maxLength)
    }
  }
}
