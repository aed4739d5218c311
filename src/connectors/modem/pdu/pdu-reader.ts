/** A PDU that ends before one of its fields, or whose field cannot be read. */
export class MalformedPdu extends Error {}

/** Reads the fields of a PDU in their order. Each method throws a MalformedPdu where the octets end before it. */
export class PduReader {
  readonly #octets: Buffer
  #at = 0

  constructor(octets: Buffer) {
    this.#octets = octets
  }

  get left(): number {
    return this.#octets.length - this.#at
  }

  octet(): number {
    return this.take(1)[0] as number
  }

  take(length: number): Buffer {
    if (this.left < length) throw new MalformedPdu(`The PDU ends ${length - this.left} octets too early.`)
    this.#at += length
    return this.#octets.subarray(this.#at - length, this.#at)
  }

  /** All that is left, at most this many octets. */
  rest(most: number): Buffer {
    return this.take(Math.min(most, this.left))
  }
}
