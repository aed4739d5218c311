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
  /** Whether the session accepts no more PDUs at the moment. */
  isFull(): boolean
  ready(): void
  take(pdu: Pdu | MalformedPdu): void
  /** Everything sent so far was passed to the socket: the peer may have it by now. */
  written(nowMs: number): void
  /** A write is done: there may be room again. */
  drained(): void
  /** Called once, for the first fault. What was not passed on by then never will be. The session closes. */
  failed(fault: ConnectionFault): void
  /** Called once, when the socket is closed. */
  closed(): void
}

/**
 * One TCP or TLS connection that carries PDUs. It reads no more than the session accepts and than the peer
 * accepts of our responses, detects a write or a PDU that does not finish, and reports its first fault.
 */
export class Connection {
  readonly #deps: Deps
  readonly #reader: FrameReader
  readonly #writes = new WriteBuffer((pieces, done) => this.#writeOut(pieces, done))
  readonly #socket: Duplex
  #state: 'connecting' | 'open' | 'ended' | 'closed' = 'connecting'
  /** When connecting, and later the running write, began. */
  #busySinceMs: number
  /** When the first octet of an incomplete PDU arrived. */
  #insideSinceMs: number | null = null
  #pausedSinceMs: number | null = null
  #pausedMs = 0
  #receivedMs: number
  #cancelClosing: () => void = () => undefined

  /** Throws what `open` throws: settings that yield no socket. */
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

  /** When octets last arrived. */
  get receivedMs(): number {
    return this.#receivedMs
  }

  /** Whether reading is paused, so that nothing from the peer is received. */
  get isPaused(): boolean {
    return this.#pausedSinceMs !== null
  }

  /** Whether the peer accepts what is sent. */
  get hasRoom(): boolean {
    return this.#writes.waitingBytes < this.#deps.limits.maxUnsentBytes
  }

  /** Monotonic time that stops while reading is paused: no response is late that was not read. */
  hearingMs(nowMs: number): number {
    return (this.#pausedSinceMs ?? nowMs) - this.#pausedMs
  }

  /** Sends at the end of this turn. Returns what is wrong with the PDU, or null; a PDU with a fault is not sent. */
  send(pdu: Pdu): string | null {
    const fault = encodePdu(this.#writes.sinkFor(roomFor(pdu)), pdu)
    if (fault === null) this.#writes.flushSoon()
    return fault
  }

  /** Resumes reading, if the session accepts more again. */
  resumeReading(): void {
    if (this.#state !== 'open' || this.#pausedSinceMs === null || this.#mustPause()) return
    this.#pausedMs += this.#deps.tools.monotonicMs() - this.#pausedSinceMs
    this.#pausedSinceMs = null
    this.#read()
    if (this.isPaused || this.#hasEnded) return
    this.#socket.resume()
    this.#deps.alarm.ring()
  }

  /** Does what is due and returns the next deadline. */
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

  /** Sends what is buffered, ends our half, and gives the peer a moment to end its own. */
  close(): void {
    if (this.#state === 'connecting' || this.#socket.destroyed) return this.destroy()
    this.#writes.flush()
    this.#state = 'ended'
    this.#socket.end()
    this.#socket.resume()
    this.#cancelClosing()
    this.#cancelClosing = this.#deps.tools.schedule(this.#deps.limits.closeMs, () => this.#socket.destroy())
  }

  /** Ends the connection immediately; what was not passed on never will be. */
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
    return this.#deps.isFull() || !this.hasRoom
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
    this.resumeReading()
    this.#deps.drained()
  }

  #broken(kind: ConnectionFault['kind'], detail: string): void {
    // PDUs that arrived before the end are processed, even while reading was paused.
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
