import { headerBytes } from './decode-pdu.ts'

/** Where one complete PDU is. Valid until the next call of `next`. */
export interface Frame {
  bytes: Buffer
  start: number
  end: number
}

const firstCarryBytes = 1_024

/**
 * Splits a byte stream into PDUs by their command_length (section 3.2), regardless of the slices it arrives
 * in. A PDU within one slice is not copied. Any other is collected in a buffer that grows with what has
 * arrived, never with an announced length, and never above `maxBytes`. A length below 16 or above `maxBytes`
 * loses the framing permanently.
 */
export class FrameReader {
  readonly #maxBytes: number
  readonly #frame: Frame = { bytes: Buffer.alloc(0), start: 0, end: 0 }
  #chunk: Buffer = this.#frame.bytes
  #at = 0
  #carry: Buffer | null = null
  #carried = 0
  #lost = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether a PDU has begun whose end has not arrived. */
  get isInsideFrame(): boolean {
    return this.#carry !== null
  }

  /** Accepts the next slice. */
  push(chunk: Buffer): void {
    const rest = this.#chunk.length - this.#at
    this.#chunk = rest === 0 ? chunk : Buffer.concat([this.#chunk.subarray(this.#at), chunk])
    this.#at = 0
  }

  /** Returns the next complete PDU, null while it has not arrived, or `lost` from then on. */
  next(): Frame | null | 'lost' {
    if (this.#lost) return 'lost'
    return this.#carry === null ? this.#nextFromChunk() : this.#nextFromCarry(this.#carry)
  }

  #nextFromChunk(): Frame | null | 'lost' {
    const start = this.#at
    const left = this.#chunk.length - start
    const length = left < 4 ? headerBytes : this.#chunk.readUInt32BE(start)
    if (this.#isImpossible(length)) return this.#lose()
    if (left < length) {
      if (left > 0) this.#keep(left, length)
      return null
    }
    this.#at = start + length
    return this.#frameOf(this.#chunk, start, this.#at)
  }

  /** Moves what is left of the chunk into a buffer of its own, so that the chunk can be collected. */
  #keep(left: number, length: number): void {
    this.#carry = Buffer.allocUnsafe(Math.max(left, Math.min(length, firstCarryBytes)))
    this.#chunk.copy(this.#carry, 0, this.#at)
    this.#carried = left
    this.#at = this.#chunk.length
  }

  #nextFromCarry(carry: Buffer): Frame | null | 'lost' {
    if (this.#carried < 4 && !this.#fill(carry, 4)) return null
    const length = carry.readUInt32BE(0)
    if (this.#isImpossible(length)) return this.#lose()
    const come = Math.min(length, this.#carried + this.#chunk.length - this.#at)
    const roomy = come <= carry.length ? carry : this.#grow(carry, Math.min(length, come * 2))
    if (!this.#fill(roomy, length)) return null
    // The consumer of this PDU keeps its buffer; the next one gets another.
    this.#carry = null
    return this.#frameOf(roomy, 0, length)
  }

  /** Copies from the chunk until the carry holds `goal` octets; returns whether it does. */
  #fill(carry: Buffer, goal: number): boolean {
    const taken = this.#chunk.copy(carry, this.#carried, this.#at, this.#at + goal - this.#carried)
    this.#at += taken
    this.#carried += taken
    return this.#carried === goal
  }

  #grow(carry: Buffer, bytes: number): Buffer {
    const larger = Buffer.allocUnsafe(bytes)
    carry.copy(larger, 0, 0, this.#carried)
    this.#carry = larger
    return larger
  }

  #isImpossible(length: number): boolean {
    return length < headerBytes || length > this.#maxBytes
  }

  #lose(): 'lost' {
    this.#lost = true
    this.#carry = null
    this.#chunk = this.#frame.bytes = Buffer.alloc(0)
    this.#at = 0
    return 'lost'
  }

  #frameOf(bytes: Buffer, start: number, end: number): Frame {
    const frame = this.#frame
    frame.bytes = bytes
    frame.start = start
    frame.end = end
    return frame
  }
}
