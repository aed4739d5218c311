import type { ConnectorTools } from '../../connector-tools.ts'
import type { AtAnswer, AtCommand, AtLine } from './at-command.ts'
import { type AtEvent, AtReader } from './at-reader.ts'
import { Exchange, type Expected, type Prompted } from './exchange.ts'
import { finalAnswer } from './final-answer.ts'
import { PduLines } from './pdu-lines.ts'

interface Deps {
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
  /** Settles when the octets were sent; rejects on a closed line. */
  write(octets: Buffer): Promise<void>
  /** A line that answers no command, with the PDU that it announced. */
  unsolicited(line: AtLine): void
  /** Sees each line as it is written or read. */
  trace?(direction: 'sent' | 'received', text: string): void
  /** Before each command; a SIM800 loses one that comes earlier. */
  pauseMs: number
  /** For `AT` itself. */
  commandTimeoutMs: number
}

/** One turn on the line: nothing else is asked between what is asked in it. */
export interface AtTurn {
  ask(command: AtCommand): Promise<AtAnswer>
  /** Writes a command after which the modem awaits a PDU; anything but `prompt` means that it does not. */
  askForPrompt(command: AtCommand): Promise<Prompted>
  /** Writes octets as they are; false on a closed line. */
  write(octets: Buffer): Promise<boolean>
  /** Writes the last octets of a command that has begun, and awaits its answer. */
  complete(octets: Buffer, expected: Expected): Promise<AtAnswer>
  /** Ends a command that has begun and is not to be completed. */
  abandon(): Promise<void>
}

/** After an ESC: a modem that was at a prompt says so within this. */
const escapeMs = 300
const triesOfAt = 5
const escape = Buffer.from([0x1b])

/**
 * Asks a modem one command at a time, and tells its answers from what it says by itself, which may come at any
 * moment, also inside an answer. After a command without an answer, nothing else is asked before both sides agree
 * again where a command begins; if they do not, each command times out without being written.
 */
export class AtChannel {
  readonly #deps: Deps
  readonly #reader = new AtReader((event) => this.#take(event))
  readonly #pdus = new PduLines((line, isAnswer) => this.#takeLine(line, isAnswer))
  #open: Exchange | null = null
  #tail: Promise<unknown> = Promise.resolve()
  /** What was written in this turn: a line that equals it is its echo. */
  #echoes = new Set<string>()
  #idleSinceMs = Number.NEGATIVE_INFINITY
  #isInStep = false
  #isClosed = false
  /** Ends a pause early. */
  #wake: () => void = () => undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Takes octets of the line. */
  received(octets: Uint8Array): void {
    this.#reader.push(octets)
  }

  /** The line is closed: what is asked, or waits for its turn, is answered so. */
  closed(): void {
    this.#isClosed = true
    this.#open?.close()
    this.#wake()
  }

  /** The modem has restarted, or reads something else than commands: both sides have to agree again. */
  lostStep(): void {
    this.#isInStep = false
  }

  ask(command: AtCommand): Promise<AtAnswer> {
    return this.takeTurn((turn) => turn.ask(command))
  }

  /** Runs a task with the line to itself, after those that asked before. */
  takeTurn<T>(task: (turn: AtTurn) => Promise<T>): Promise<T> {
    const turn: AtTurn = {
      ask: (command) => this.#ask(command),
      askForPrompt: (command) => this.#askForPrompt(command),
      write: (octets) => this.#write(octets),
      complete: (octets, expected) => this.#complete(octets, expected),
      abandon: () => this.#abandon(),
    }
    const done = this.#tail.then(async () => {
      this.#echoes = new Set()
      if (!this.#isInStep && !this.#isClosed) await this.#synchronize()
      return task(turn)
    })
    this.#tail = done.catch(() => undefined)
    return done
  }

  /**
   * Agrees with the modem on where a command begins. The first octet is an ESC: a modem that was left at a prompt
   * would take `AT` for a text, and sends nothing after an ESC (3GPP TS 27.005, section 3.5.1). A Ctrl-Z is never
   * written for that: it would send half a text.
   */
  async #synchronize(): Promise<void> {
    if (!(await this.#write(escape))) return
    await this.#sleep(escapeMs)
    this.#reader.clear()
    const timeoutMs = this.#deps.commandTimeoutMs
    for (let tries = 0; tries < triesOfAt && !this.#isInStep && !this.#isClosed; tries++) {
      const { kind } = await this.#exchange(commandOctets('AT'), { timeoutMs })
      this.#isInStep = kind === 'ok' || kind === 'error'
      // The answers to earlier tries may follow.
      if (this.#isInStep && tries > 0) await this.#sleep(escapeMs)
    }
  }

  async #ask({ text, ...expected }: AtCommand): Promise<AtAnswer> {
    if (!this.#isInStep || this.#isClosed) return this.#unwritten()
    await this.#pause()
    return this.#complete(commandOctets(text), expected)
  }

  async #askForPrompt({ text, ...expected }: AtCommand): Promise<Prompted> {
    if (!this.#isInStep || this.#isClosed) return this.#unwritten()
    await this.#pause()
    this.#reader.expectPrompt(true)
    const answer = await this.#begin(commandOctets(text), expected)
    this.#reader.expectPrompt(false)
    if (answer.kind === 'timeout') this.#isInStep = false
    return answer
  }

  async #complete(octets: Buffer, expected: Expected): Promise<AtAnswer> {
    const answer = await this.#exchange(octets, expected)
    if (answer.kind === 'timeout') this.#isInStep = false
    return answer
  }

  /** What the modem says to the ESC is awaited before the next command, not here. */
  async #abandon(): Promise<void> {
    this.#isInStep = false
    await this.#write(escape)
  }

  async #exchange(octets: Buffer, expected: Expected): Promise<AtAnswer> {
    const answer = await this.#begin(octets, expected)
    // No prompt is expected, so that none is reported.
    return answer.kind === 'prompt' ? this.#unwritten() : answer
  }

  async #begin(octets: Buffer, expected: Expected): Promise<Prompted> {
    if (this.#isClosed) return this.#unwritten()
    const exchange = new Exchange(expected, this.#deps.tools.schedule)
    this.#open = exchange
    void this.#write(octets).then((isWritten) => {
      if (!isWritten) exchange.close()
    })
    const answer = await exchange.answer
    this.#open = null
    this.#idleSinceMs = this.#deps.tools.monotonicMs()
    return answer
  }

  #unwritten(): AtAnswer {
    return { kind: this.#isClosed ? 'closed' : 'timeout', lines: [] }
  }

  /** Returns false when the line is closed, or does not take the octets: a port without a modem may block. */
  #write(octets: Buffer): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false)
    const text = octets.toString('latin1')
    this.#echoes.add(text.trim())
    this.#deps.trace?.('sent', text)
    const { tools, commandTimeoutMs } = this.#deps
    return new Promise((resolve) => {
      const cancel = tools.schedule(commandTimeoutMs, () => resolve(false))
      const end = (isWritten: boolean): void => {
        cancel()
        resolve(isWritten)
      }
      this.#deps.write(octets).then(
        () => end(true),
        () => end(false),
      )
    })
  }

  #take(event: AtEvent): void {
    if (event.kind === 'prompt') {
      this.#open?.prompted()
      return
    }
    const { text } = event
    // A SIM800 is deaf for a moment after each line of its own, also after one that no command asked for.
    this.#idleSinceMs = this.#deps.tools.monotonicMs()
    this.#deps.trace?.('received', text)
    if (this.#echoes.has(text) || this.#pdus.take(text)) return
    const final = finalAnswer(text)
    if (final !== null) {
      this.#pdus.endAnswer()
      this.#open?.finish(final)
      return
    }
    const isAnswer = this.#open?.expects(text) === true
    const announces = isAnswer ? this.#open?.hasPdus === true : true
    if (announces && this.#pdus.announce(text, isAnswer)) return
    this.#takeLine({ text, tpdu: null }, isAnswer)
  }

  #takeLine(line: AtLine, isAnswer: boolean): void {
    if (isAnswer && this.#open !== null) this.#open.add(line)
    else this.#deps.unsolicited(line)
  }

  /** Waits the rest of the pause after the last answer. */
  #pause(): Promise<void> {
    const { pauseMs, tools } = this.#deps
    return this.#sleep(this.#idleSinceMs + pauseMs - tools.monotonicMs())
  }

  #sleep(ms: number): Promise<void> {
    if (ms <= 0 || this.#isClosed) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#deps.tools.schedule(ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}

const commandOctets = (text: string): Buffer => Buffer.from(`${text}\r`, 'latin1')
