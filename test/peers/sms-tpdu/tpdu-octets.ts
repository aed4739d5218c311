/** What a TPDU says that no SMSC could read; the reason is for the log of the modem. */
export class TpduError extends Error {}

/** Octets of a TPDU, read from the front. */
export class Octets {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  next(what: string): number {
    return this.take(1, what)[0] as number
  }

  take(count: number, what: string): Buffer {
    if (count > this.left) throw new TpduError(`It ends within ${what}.`)
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  rest(): Buffer {
    return this.take(this.left, 'the rest')
  }
}

/** Reads hexadecimal digits, of either case. */
export function bytesOfHex(hex: string): Buffer {
  if (!/^(?:[0-9a-f]{2})*$/i.test(hex)) throw new TpduError('These are no pairs of hexadecimal digits.')
  return Buffer.from(hex, 'hex')
}

export const hexOf = (...pieces: readonly (Buffer | readonly number[])[]): string =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString('hex').toUpperCase() // prettier-ignore
