import type { Duplex } from 'node:stream'
import type { Clock } from '../../runtime/clock.ts'
import type { DeadlineTimer } from './deadline-timer.ts'
import { decodePdu, type MalformedPdu } from '../codec/decode-pdu.ts'
import { encodePdu, roomFor } from '../codec/encode-pdu.ts'
import { FrameReader } from '../codec/frame-reader.ts'
import type { OpenSocket } from './open-socket.ts'
import type { Pdu } from '../codec/pdu.ts'
import type { SessionLimits } from './session-limits.ts'
import { WriteBuffer } from '../codec/write-buffer.ts'

/** Why a connection carries nothing any more. */
export interface ConnectionFault {
  kind:
    | 'connect_failed'
    | 'peer_closed'
    | 'connection_lost'
    | 'framing_lost'
    | 'write_stalled'
    | 'frame_stalled'
  detail: string
}

interface Deps {
  tools: Pick<Clock, 'monotonicMs' | 'schedule'>
  alarm: Pick<DeadlineTimer, 'by' | 'ring'>
  limits: SessionLimits
  /** Whether the session takes no more PDUs for now. */
  isSated(): boolean
  ready(): void
  take(pdu: Pdu | MalformedPdu): void
  /** Everything sent so far was handed to the socket: it may be at the peer by now. */
  written(nowMs: number): void
  /** A write is done: there may be room again. */
  drained(): void
  /** Once, for the first fault. What was not handed over by then never will be. The session closes. */
  failed(fault: ConnectionFault): void
  /** Once, when the socket is gone. */
  closed(): void
}

/**
 * One TCP or TLS connection that carries PDUs. It reads no more than the session takes and than the peer takes of our answers, notices
 * a write or a PDU that does not come to its end, and reports its first fault.
 */
export class Connection {
  readonly #deps: Deps
  readonly #reader: FrameReader
  readonly #writes = new WriteBuffer((pieces, done) => this.#writeOut(pieces, done))
  readonly #socket: Duplex
  #state: 'connecting' | 'open' | 'ended' | 'closed' = 'connecting'
  /** When connecting, and then the write that is under way, began. */
  #busySinceMs: number
  /** When the first octet of a PDU came whose end has not. */
  #insideSinceMs: number | null = null
  #pausedSinceMs: number | null = null
  #pausedMs = 0
  #receivedMs: number
  #cancelClosing: () => void = () => undefined

  /** Throws what `open` throws: settings that no socket can be made of. */
  constructor(open: OpenSocket, deps: Deps) {
    this.#deps = deps
    this.#reader = new FrameReader(deps.limits.maxPduBytes)
    this.#busySinceMs = this.#receivedMs = deps.tools.monotonicMs()
    this.#socket = open(() => this.#ready())
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    this.#socket.on('end', () => this.#broken('peer_closed', 'the peer closed the connection'))
    this.#socket.on('error', (error: NodeJS.ErrnoException) =>
      this.#broken('connection_lost', error.code ?? error.message),
    )
    this.#socket.on('close', () => this.#gone())
    deps.alarm.by(this.#busySinceMs + deps.limits.connectTimeoutMs)
  }

  /** When octets came last. */
  get receivedMs(): number {
    return this.#receivedMs
  }

  /** Whether we do not read for now, so that nothing the peer says is heard. */
  get isPaused(): boolean {
    return this.#pausedSinceMs !== null
  }

  /** Whether the peer takes what we send. */
  get hasRoom(): boolean {
    return this.#writes.waitingBytes < this.#deps.limits.maxUnsentBytes
  }

  /** Monotonic time that stands still while we do not read: nobody is late whose answer we did not look at. */
  hearingMs(nowMs: number): number {
    return (this.#pausedSinceMs ?? nowMs) - this.#pausedMs
  }

  /** Sends at the end of this turn. Gives what is wrong with the PDU, or null; a PDU with a fault is not sent. */
  send(pdu: Pdu): string | null {
    const fault = encodePdu(this.#writes.sinkFor(roomFor(pdu)), pdu)
    if (fault === null) this.#writes.flushSoon()
    return fault
  }

  /** Reads on, if the session takes more again. */
  readOn(): void {
    if (this.#state !== 'open' || this.#pausedSinceMs === null || this.#mustPause()) return
    this.#pausedMs += this.#deps.tools.monotonicMs() - this.#pausedSinceMs
    this.#pausedSinceMs = null
    this.#read()
    if (this.isPaused || this.#hasEnded) return
    this.#socket.resume()
    this.#deps.alarm.ring()
  }

  /** Does what is due and gives the next deadline. */
  check(nowMs: number): number {
    const { connectTimeoutMs, stallMs } = this.#deps.limits
    const watches: [atMs: number, kind: ConnectionFault['kind'], detail: string][] = []
    if (this.#state === 'connecting')
      watches.push([this.#busySinceMs + connectTimeoutMs, 'connect_failed', 'no connection in time'])
    if (this.#state === 'open' && this.#writes.isWriting)
      watches.push([this.#busySinceMs + stallMs, 'write_stalled', 'the peer does not read'])
    if (this.#state === 'open' && this.#insideSinceMs !== null)
      watches.push([this.#insideSinceMs + stallMs, 'frame_stalled', 'a PDU does not end'])
    const due = watches.find(([atMs]) => nowMs >= atMs)
    if (due !== undefined) this.#fail(due[1], due[2])
    return this.#hasEnded ? Number.POSITIVE_INFINITY : Math.min(...watches.map(([atMs]) => atMs))
  }

  /** Sends what waits, ends our half, and leaves the peer a moment to end its own. */
  close(): void {
    if (this.#state === 'connecting' || this.#socket.destroyed) return this.destroy()
    this.#writes.flush()
    this.#state = 'ended'
    this.#socket.end()
    this.#socket.resume()
    this.#cancelClosing()
    this.#cancelClosing = this.#deps.tools.schedule(this.#deps.limits.closeMs, () => this.#socket.destroy())
  }

  /** Ends the connection at once; what was not handed over never will be. */
  destroy(): void {
    if (!this.#hasEnded) this.#state = 'ended'
    this.#socket.destroy()
  }

  get #hasEnded(): boolean {
    return this.#state === 'ended' || this.#state === 'closed'
  }

  #ready(): void {
    if (this.#state !== 'connecting') return
    this.#state = 'open'
    this.#receivedMs = this.#deps.tools.monotonicMs()
    this.#deps.ready()
  }

  #receive(chunk: Buffer): void {
    if (this.#state !== 'open') return
    this.#receivedMs = this.#deps.tools.monotonicMs()
    this.#reader.push(chunk)
    this.#read()
  }

  #read(): void {
    const insideSinceMs = this.#insideSinceMs ?? this.#receivedMs
    this.#insideSinceMs = null
    let count = 0
    for (; this.#state === 'open'; count++) {
      if (this.#mustPause()) return this.#pause()
      const frame = this.#reader.next()
      if (frame === 'lost') return this.#fail('framing_lost', 'a PDU has an impossible length')
      if (frame === null) break
      this.#deps.take(decodePdu(frame.bytes, frame.start, frame.end))
    }
    if (!this.#reader.isInsideFrame) return
    this.#insideSinceMs = count === 0 ? insideSinceMs : this.#receivedMs
    this.#deps.alarm.by(this.#insideSinceMs + this.#deps.limits.stallMs)
  }

  #mustPause(): boolean {
    return this.#deps.isSated() || !this.hasRoom
  }

  #pause(): void {
    this.#pausedSinceMs ??= this.#deps.tools.monotonicMs()
    this.#socket.pause()
  }

  #writeOut(pieces: readonly Buffer[], done: () => void): void {
    this.#busySinceMs = this.#deps.tools.monotonicMs()
    this.#deps.alarm.by(this.#busySinceMs + this.#deps.limits.stallMs)
    const last = pieces.length - 1
    if (last > 0) this.#socket.cork()
    for (let i = 0; i < last; i++) this.#socket.write(pieces[i])
    this.#socket.write(pieces[last], () => this.#left(done))
    if (last > 0) this.#socket.uncork()
    this.#deps.written(this.#busySinceMs)
  }

  #left(done: () => void): void {
    if (this.#state !== 'open') return
    done()
    this.readOn()
    this.#deps.drained()
  }

  #broken(kind: ConnectionFault['kind'], detail: string): void {
    // Answers that came before the end were given, also when we had paused.
    while (this.#state === 'open') {
      const frame = this.#reader.next()
      if (frame === null || frame === 'lost') break
      this.#deps.take(decodePdu(frame.bytes, frame.start, frame.end))
    }
    this.#fail(this.#state === 'connecting' ? 'connect_failed' : kind, detail)
  }

  #fail(kind: ConnectionFault['kind'], detail: string): void {
    if (this.#hasEnded) return
    this.#state = 'ended'
    this.#writes.discard()
    this.#deps.failed({ kind, detail })
  }

  #gone(): void {
    this.#broken('connection_lost', 'the connection was closed')
    this.#state = 'closed'
    this.#cancelClosing()
    this.#deps.closed()
  }
}
