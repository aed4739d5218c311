import type { PduWriter } from './pdu-writer.ts'

const slabBytes = 65_536

/**
 * The PDUs that wait for the socket, in one buffer. They are handed over once per turn of the event loop, as one write, and only when
 * the write before is done: so what is still here when the connection fails has certainly not left.
 */
export class WriteBuffer {
  readonly #write: (pieces: readonly Buffer[], done: () => void) => void
  readonly #sink: PduWriter = { bytes: Buffer.allocUnsafe(slabBytes), at: 0, fault: null }
  /** What stands in front of `#from` was handed over. */
  #from = 0
  #full: Buffer[] = []
  #fullBytes = 0
  #isWriting = false
  #isFlushDue = false

  /** `write` hands the pieces to the socket and calls `done` when they have left. */
  constructor(write: (pieces: readonly Buffer[], done: () => void) => void) {
    this.#write = write
  }

  /** Octets that the socket has not been given. */
  get waitingBytes(): number {
    return this.#fullBytes + this.#sink.at - this.#from
  }

  /** Whether the socket still works on the last write. */
  get isWriting(): boolean {
    return this.#isWriting
  }

  /** Where the next PDU goes, with `room` octets free. Whoever writes there calls `flushSoon`. */
  sinkFor(room: number): PduWriter {
    const sink = this.#sink
    if (sink.bytes.length - sink.at < room) {
      this.#setAside()
      sink.bytes = Buffer.allocUnsafe(Math.max(slabBytes, room))
      sink.at = this.#from = 0
    }
    return sink
  }

  /** Hands over what is here at the end of this turn of the loop, or when the write before is done. */
  flushSoon(): void {
    if (this.#isFlushDue || this.#isWriting) return
    this.#isFlushDue = true
    setImmediate(() => {
      this.#isFlushDue = false
      if (!this.#isWriting) this.flush()
    })
  }

  /** Hands over everything now, behind a write that may not be done. */
  flush(): void {
    if (this.waitingBytes === 0) return
    this.#setAside()
    const pieces = this.#full
    this.#full = []
    this.#fullBytes = 0
    this.#isWriting = true
    this.#write(pieces, () => this.#done())
  }

  /** Drops what the socket has not been given: it will never leave. */
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
    // Nobody looks at the buffer any more: it starts over.
    else this.#sink.at = this.#from = 0
  }
}
