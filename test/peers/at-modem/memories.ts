/** An SMS or a report in a place of a memory. */
export interface StoredSms {
  /** Of the arrival; null for one that was written by AT+CMGW. */
  n: number | null
  of: 'sms' | 'report'
  reference: number | null
  /** 0 unread, 1 read, 2 unsent, 3 sent. */
  status: number
  /** With the SMSC in front, hex. */
  pdu: string
  /** Octets without the SMSC. */
  length: number
}

/** Places for SMS, with the lowest free one first, as modems do. */
export class Memory {
  readonly #places = new Map<number, StoredSms>()
  readonly #firstIndex: number
  size: number

  constructor(size: number, firstIndex: number) {
    this.size = size
    this.#firstIndex = firstIndex
  }

  get used(): number {
    return this.#places.size
  }

  /** Gives the place, or null where none is free. */
  store(sms: StoredSms): number | null {
    if (this.used >= this.size) return null
    for (let index = this.#firstIndex; ; index += 1) {
      if (this.#places.has(index)) continue
      this.#places.set(index, sms)
      return index
    }
  }

  get(index: number): StoredSms | null {
    return this.#places.get(index) ?? null
  }

  has(index: number): boolean {
    return index >= this.#firstIndex && index < this.#firstIndex + this.size
  }

  delete(index: number): StoredSms | null {
    const sms = this.get(index)
    this.#places.delete(index)
    return sms
  }

  /** By place. */
  list(): [number, StoredSms][] {
    return [...this.#places].toSorted(([one], [other]) => one - other)
  }
}
