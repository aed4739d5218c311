import type { PduWriter } from './pdu-writer.ts'

const slabBytes = 65_536

/**
 * Collects the PDUs for the socket in one buffer. They are passed on once per turn of the event loop, as one
 * write, and only when the previous write is done: so what is still here when the connection fails was
 * certainly not sent.
 */
export class WriteBuffer {
  readonly #write: (pieces: readonly Buffer[], done: () => void) => void
  readonly #sink: PduWriter = { bytes: Buffer.allocUnsafe(slabBytes), at: 0, fault: null }
  /** What is before `#from` was passed to the socket. */
  #from = 0
  #full: Buffer[] = []
  #fullBytes = 0
  #isWriting = false
  #isFlushDue = false

  /** `write` passes the pieces to the socket and calls `done` when they were sent. */
  constructor(write: (pieces: readonly Buffer[], done: () => void) => void) {
    this.#write = write
  }

  /** Octets that the socket has not been given. */
  get waitingBytes(): number {
    return this.#fullBytes + this.#sink.at - this.#from
  }

  /** Whether the last write of the socket is still running. */
  get isWriting(): boolean {
    return this.#isWriting
  }

  /** Returns where the next PDU is written, with `room` octets free. The caller then calls `flushSoon`. */
  sinkFor(room: number): PduWriter {
    const sink = this.#sink
    if (sink.bytes.length - sink.at < room) {
      this.#setAside()
      sink.bytes = Buffer.allocUnsafe(Math.max(slabBytes, room))
      sink.at = this.#from = 0
    }
    return sink
  }

  /** Passes on what is here at the end of this turn of the loop, or when the previous write is done. */
  flushSoon(): void {
    if (this.#isFlushDue || this.#isWriting) return
    this.#isFlushDue = true
    setImmediate(() => {
      this.#isFlushDue = false
      if (!this.#isWriting) this.flush()
    })
  }

  /** Passes on everything now, after a write that may not be done. */
  flush(): void {
    if (this.waitingBytes === 0) return
    this.#setAside()
    const pieces = this.#full
    this.#full = []
    this.#fullBytes = 0
    this.#isWriting = true
    this.#write(pieces, () => this.#done())
  }

  /** Drops what the socket has not been given: it will never be sent. */
  discard(): void {
    this.#full = []
    this.#fullBytes = 0
    this.#from = this.#sink.at
  }

  #setAside(): void {
    const { bytes, at } = this.#sink
    if (at === this.#from) return
    this.#full.push(bytes.subarray(this.#from, at))
    this.#fullBytes += at - this.#from
    this.#from = at
  }

  #done(): void {
    this.#isWriting = false
    if (this.waitingBytes > 0) this.flush()
    // Nothing refers to the buffer any more: it starts over.
    else this.#sink.at = this.#from = 0
  }
}
