import type { Socket } from 'node:net'
import { resetSocket } from '../reset-socket.ts'
import { unsolicitedText, wovenText } from './line-text.ts'
import type { ModemClock } from './modem-clock.ts'
import type { LineRecord, ModemLog, PromptRecord } from './modem-log.ts'
import type { LineSettings } from './modem-settings.ts'

export interface LineHost {
  settings(): LineSettings
  /** Whether what nobody asked for waits until a command has its answer. */
  holdsBack(): boolean
  clock: ModemClock
  log: ModemLog
  modem: number
  onCommand(command: string): Promise<void>
  /** What was written at the prompt, and what ended it. */
  onText(text: string, end: 'ctrl-z' | 'escape'): Promise<void>
  onHangUp(): void
}

const [cr, lf, backspace, ctrlZ, escape] = [0x0d, 0x0a, 0x08, 0x1a, 0x1b]

/** Lines longer than this are forgotten, as the buffer of a modem is finite (V.250 section 5.2.2 asks for 40 at least). */
const longestLine = 2_048

/**
 * The line between a modem and what drives it: a serial port by its nature, so that the modem neither knows nor cares who is connected. An unfinished
 * command and an open prompt outlive a connection.
 */
export class ModemLine {
  readonly #host: LineHost
  #socket: Socket | null = null
  #input: number[] = []
  #typed = ''
  #mode: 'command' | 'text' = 'command'
  #isBusy = false
  #isPumping = false
  /** Counts starts: what still ran when the power went finds another number. */
  #start = 0
  #heldBack: (readonly string[])[] = []
  #out = Buffer.alloc(0)
  #isDraining = false
  #lastCommand = ''
  #saidAtMs = -Infinity
  #cut: { of: LineSettings['cut']; bytes: number } = { of: null, bytes: 0 }
  isEchoing = true
  /** That came or were written since the start: two sides that have nothing more to say add none. */
  octets = 0

  constructor(host: LineHost) {
    this.#host = host
  }

  get isAtPrompt(): boolean {
    return this.#mode === 'text'
  }

  get isHeld(): boolean {
    return this.#socket !== null && !this.#socket.readableEnded && !this.#socket.destroyed
  }

  connect(socket: Socket): void {
    if (this.#socket !== null) this.#leave(this.#socket)
    this.#socket = socket
    socket.setNoDelay(true)
    this.#note('opened')
    socket.on('data', (bytes: Buffer) => this.#receive(bytes))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#leave(socket))
    socket.on('end', () => this.#leave(socket))
  }

  /** Ends the connection; false when there was none. */
  hangUp(how: 'fin' | 'rst'): boolean {
    const socket = this.#socket
    if (socket === null) return false
    this.#note('cut', how)
    this.#leave(socket)
    if (how === 'rst') resetSocket(socket)
    else socket.end()
    return true
  }

  /** As after power on: no prompt, nothing typed. */
  reset(): void {
    this.#start += 1
    this.#isPumping = false
    this.#typed = ''
    this.#input = []
    this.#mode = 'command'
    this.#isBusy = false
    this.#heldBack = []
    this.isEchoing = this.#host.settings().echo !== 'off'
  }

  /** Writes the prompt, and takes what follows as text. */
  ask(): void {
    this.#mode = 'text'
    this.#typed = ''
    this.#prompt('asked')
    this.#write(`\r\n${this.#host.settings().prompt}`)
  }

  /** Writes an answer; without a final line it is not complete. */
  answer(lines: readonly string[], final: string | null): void {
    // Before it is written: a machine may let the other side go first.
    this.#saidAtMs = this.#host.clock.now()
    this.#write(wovenText(lines, final, this.#host.settings()))
  }

  /** Says what nobody asked for; lines that belong together stay together. */
  tell(lines: readonly string[], now = false): void {
    const waits = this.#isBusy || this.#mode === 'text'
    if (waits && !now && this.#host.holdsBack()) this.#heldBack.push(lines)
    else this.#tellNow(lines)
  }

  #tellNow(lines: readonly string[]): void {
    this.#saidAtMs = this.#host.clock.now()
    this.#write(unsolicitedText(lines, this.#host.settings()))
  }

  /** Writes bytes as they are. */
  raw(bytes: Buffer): void {
    this.#write(bytes)
  }

  #receive(bytes: Buffer): void {
    this.octets += bytes.length
    const { deafMs, whileBusy } = this.#host.settings()
    if (this.#isBusy && whileBusy === 'lost') return
    if (deafMs > 0 && this.#mode === 'command' && this.#host.clock.now() - this.#saidAtMs < deafMs) return
    this.#input.push(...bytes)
    void this.#pump()
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return
    this.#isPumping = true
    const start = this.#start
    let echo: number[] = []
    const flushEcho = (): void => {
      const times = this.#host.settings().echo === 'twice' ? 2 : 1
      if (echo.length > 0) this.#write(Buffer.from(Array.from({ length: times }, () => echo).flat()))
      echo = []
    }
    for (let byte = this.#input.shift(); byte !== undefined; byte = this.#input.shift()) {
      const isLast = this.#countsTo('in', 1) === 1
      if (this.#host.settings().silence !== 'hung') {
        if (this.#isEcho()) echo.push(byte)
        const work = this.#take(byte, flushEcho)
        if (work !== null) await work
        if (start !== this.#start) return
      }
      if (isLast) this.#cutNow()
    }
    flushEcho()
    this.#isPumping = false
  }

  #isEcho(): boolean {
    const { echo } = this.#host.settings()
    return echo === 'always' || echo === 'twice' || this.isEchoing
  }

  /** Takes one byte; gives the work that must end before the next one. */
  #take(byte: number, flushEcho: () => void): Promise<void> | null {
    if (this.#mode === 'text') return this.#takeText(byte, flushEcho)
    if (byte === cr) {
      const line = this.#typed
      this.#typed = ''
      const command = this.#commandIn(line)
      if (command === null) return null
      flushEcho()
      return this.#work(() => this.#host.onCommand(command))
    }
    if (byte === backspace) this.#typed = this.#typed.slice(0, -1)
    else if (byte === ctrlZ || byte === escape) {
      this.#note('stray', byte.toString(16))
      this.#typed = ''
    } else if (byte !== lf) this.#typed = (this.#typed + String.fromCharCode(byte)).slice(-longestLine)
    return null
  }

  #takeText(byte: number, flushEcho: () => void): Promise<void> | null {
    if (byte === ctrlZ || byte === escape) {
      const text = this.#typed
      this.#typed = ''
      this.#mode = 'command'
      flushEcho()
      this.#prompt(byte === ctrlZ ? 'ended' : 'escaped', text)
      return this.#work(() => this.#host.onText(text, byte === ctrlZ ? 'ctrl-z' : 'escape'))
    }
    if (byte !== cr && byte !== lf)
      this.#typed = (this.#typed + String.fromCharCode(byte)).slice(-longestLine)
    return null
  }

  /** V.250 section 5.2.1: what stands before `AT` is ignored, `A/` repeats. Null for no command. */
  #commandIn(line: string): string | null {
    if (/^\s*a\/$/i.test(line)) return this.#lastCommand === '' ? null : this.#lastCommand
    const at = line.search(/at/i)
    if (at < 0) {
      if (line.trim() !== '') this.#note('stray', line)
      return null
    }
    this.#lastCommand = line.slice(at).trimEnd()
    return this.#lastCommand
  }

  async #work(run: () => Promise<void>): Promise<void> {
    this.#isBusy = true
    const start = this.#start
    await run()
    if (start !== this.#start) return
    this.#isBusy = false
    if (this.#mode === 'text') return
    const heldBack = this.#heldBack
    this.#heldBack = []
    for (const lines of heldBack) this.#tellNow(lines)
  }

  #write(text: string | Buffer): void {
    if (this.#host.settings().silence !== 'none' || text.length === 0) return
    const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text
    this.octets += bytes.length
    const room = this.#countsTo('out', bytes.length)
    this.#out = Buffer.concat([this.#out, bytes.subarray(0, room ?? bytes.length)])
    if (room !== null) {
      this.#drainAll()
      this.#cutNow()
    } else if (!this.#isDraining) this.#drain()
  }

  #drain(): void {
    const { chunkBytes } = this.#host.settings()
    if (chunkBytes === null) this.#drainAll()
    this.#isDraining = this.#out.length > 0
    if (chunkBytes === null || !this.#isDraining) return
    this.#socket?.write(this.#out.subarray(0, chunkBytes))
    this.#out = this.#out.subarray(chunkBytes)
    setImmediate(() => this.#drain())
  }

  #drainAll(): void {
    if (this.#out.length > 0) this.#socket?.write(this.#out)
    this.#out = Buffer.alloc(0)
  }

  /** Counts bytes towards the cut; gives how many of them are before it when it is reached, else null. */
  #countsTo(way: 'in' | 'out', bytes: number): number | null {
    const { cut } = this.#host.settings()
    if (cut !== this.#cut.of) this.#cut = { of: cut, bytes: 0 }
    if (cut === null || (cut.of !== 'both' && cut.of !== way) || this.#cut.bytes >= cut.afterBytes)
      return null
    const left = cut.afterBytes - this.#cut.bytes
    this.#cut.bytes += bytes
    return bytes >= left ? left : null
  }

  /** What came or was written after the byte is lost. */
  #cutNow(): void {
    const how = this.#cut.of?.how ?? 'fin'
    const socket = this.#socket
    this.#input = []
    if (socket === null) return
    this.#note('cut', how)
    this.#leave(socket)
    if (how === 'fin') socket.end()
    // What was written must be on its way before the reset takes the rest along.
    else socket.write('', () => resetSocket(socket))
  }

  #leave(socket: Socket): void {
    if (this.#socket !== socket) return
    this.#socket = null
    this.#out = Buffer.alloc(0)
    this.#note('closed')
    const { atHangUp } = this.#host.settings()
    if (this.#mode === 'text') this.#prompt('hung-up', this.#typed)
    if (atHangUp === 'leave-prompt' && this.#mode === 'text') {
      this.#mode = 'command'
      this.#typed = ''
    }
    this.#host.onHangUp()
    if (!socket.destroyed && socket.readableEnded) socket.end()
  }

  #note(what: LineRecord['what'], detail = ''): void {
    this.#host.log.write({ kind: 'line', modem: this.#host.modem, what, detail })
  }

  #prompt(what: PromptRecord['what'], bytes = ''): void {
    this.#host.log.write({ kind: 'prompt', modem: this.#host.modem, what, bytes })
  }
}
