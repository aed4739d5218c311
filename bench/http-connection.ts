import { connect, type Socket } from 'node:net'

const bufferBytes = 65_536
const headEnd = Buffer.from('\r\n\r\n')

/**
 * A kept-alive connection of the load generator: one request at a time, as raw bytes. It reads no more of an answer than its status and
 * where it ends, because whatever the generator spends is missing on the same processors: a fourth of what an HTTP client costs.
 */
export class HttpConnection {
  readonly #socket: Socket
  readonly #opened: Promise<void>
  #onAnswer: ((status: number) => void) | null = null
  #status = 0
  /** Bytes of the body still to come; -1 while the head is not complete. */
  #bodyLeft = -1
  #head: Buffer = Buffer.alloc(0)

  constructor(port: number) {
    const buffer = Buffer.allocUnsafeSlow(bufferBytes)
    const callback = (length: number): boolean => {
      this.#read(buffer.subarray(0, length))
      return true
    }
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } })
    this.#opened = new Promise((resolve, reject) =>
      this.#socket.once('connect', resolve).once('error', reject),
    )
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => this.#answered(0))
  }

  /** Settles when the connection stands. */
  get opened(): Promise<void> {
    return this.#opened
  }

  get isBroken(): boolean {
    return this.#socket.destroyed
  }

  /** Sends one request; `onAnswer` hears its status when the answer is complete, or 0 when the connection broke, were it before. */
  send(request: Buffer, onAnswer: (status: number) => void): void {
    if (this.isBroken) {
      onAnswer(0)
      return
    }
    this.#onAnswer = onAnswer
    this.#socket.write(request)
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    if (this.#bodyLeft >= 0) {
      this.#take(chunk.length)
      return
    }
    const bytes = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk])
    const end = bytes.indexOf(headEnd)
    if (end < 0) {
      this.#head = Buffer.from(bytes)
      return
    }
    const head = bytes.toString('latin1', 0, end)
    this.#head = Buffer.alloc(0)
    this.#status = Number(head.slice(9, 12))
    this.#bodyLeft = bodyLength(head)
    this.#take(bytes.length - end - headEnd.length)
  }

  #take(length: number): void {
    this.#bodyLeft -= length
    if (this.#bodyLeft > 0) return
    this.#bodyLeft = -1
    this.#answered(this.#status)
  }

  #answered(status: number): void {
    const onAnswer = this.#onAnswer
    this.#onAnswer = null
    onAnswer?.(status)
  }
}

/** Servers here answer with a length; one that does not cannot be measured. */
function bodyLength(head: string): number {
  const at = head.search(/\r\ncontent-length: /i)
  if (at < 0) throw new Error(`An answer without a length: ${head}`)
  return parseInt(head.slice(at + '\r\ncontent-length: '.length), 10)
}
