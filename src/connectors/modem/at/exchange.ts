import type { ConnectorTools } from '../../connector-tools.ts'
import type { AtAnswer, AtCommand, AtLine } from './at-command.ts'
import type { FinalAnswer } from './final-answer.ts'

/** Which lines answer a command, and how long they may take. */
export type Expected = Omit<AtCommand, 'text'>

/** What a modem does about a command after which it awaits a PDU. */
export type Prompted = AtAnswer | { kind: 'prompt' }

/** How long a missing OK, or a line behind it, is awaited. */
const straggleMs = 400
/** Lines that no command asks for although they have no prefix of their own, and all that have one. */
const looksUnsolicited = /^(?:[+^*%$#&]|(?:RING|RDY|NORMAL POWER DOWN|(?:SMS|Call|PB) (?:Ready|DONE))\b)/

/** One command and its answer, until the answer is complete, late, or the line is closed. */
export class Exchange {
  /** Settles with the answer, exactly once. */
  readonly answer: Promise<Prompted>
  readonly #expected: Expected
  readonly #schedule: ConnectorTools['schedule']
  readonly #lines: AtLine[] = []
  #settle: (answer: Prompted) => void = () => undefined
  #cancel: () => void
  #hasOk = false

  constructor(expected: Expected, schedule: ConnectorTools['schedule']) {
    this.#expected = expected
    this.#schedule = schedule
    this.answer = new Promise((resolve) => (this.#settle = resolve))
    this.#cancel = schedule(expected.timeoutMs, () => this.#end('timeout'))
  }

  /** Whether a line belongs to the answer: by its prefix, or because the answer has none. */
  expects(text: string): boolean {
    const { prefix, isBare } = this.#expected
    if (prefix !== undefined && text.startsWith(prefix)) return true
    return isBare === true && !looksUnsolicited.test(text)
  }

  get hasPdus(): boolean {
    return this.#expected.hasPdus === true
  }

  add(line: AtLine): void {
    this.#lines.push(line)
    if (this.#hasOk) this.#end('ok')
    else if (this.#expected.mayLackOk) this.#endSoon()
  }

  /** Takes the last line of the answer. */
  finish(final: FinalAnswer): void {
    if (final.kind === 'error') this.#settleWith({ ...final, lines: this.#lines })
    else if (this.#expected.mayFollowOk && this.#lines.length === 0) {
      this.#hasOk = true
      this.#endSoon()
    } else this.#end('ok')
  }

  prompted(): void {
    this.#settleWith({ kind: 'prompt' })
  }

  close(): void {
    this.#end('closed')
  }

  #endSoon(): void {
    this.#cancel()
    this.#cancel = this.#schedule(straggleMs, () => this.#end('ok'))
  }

  #end(kind: 'ok' | 'timeout' | 'closed'): void {
    this.#settleWith({ kind, lines: this.#lines })
  }

  #settleWith(answer: Prompted): void {
    this.#cancel()
    this.#settle(answer)
  }
}
