import type { Socket } from 'node:net'
import type { Answer, DirectOperations } from './direct-operations.ts'
import { responseText } from './response-text.ts'
import type { ReadRequest, WholeRequest } from './whole-request.ts'

export interface DirectConnectionDeps {
  read: ReadRequest
  operations: Pick<DirectOperations, 'find'>
  /** Gives the connection to `node:http`, which reads on from the first byte that has no answer yet. */
  passOn(socket: Socket): void
  keepAliveTimeoutMs: number
}

/** How long the body of a request may be on its way. After this `node:http` waits for it, with the limits of the server. */
const bodyWaitMs = 200
/** Node closes an idle connection so much later than it announces, so that a request that is on its way is still taken. */
const keepAliveBufferMs = 1_000
/** A body in more pieces is for `node:http`: each piece is read from the first byte on. */
const maxPieces = 8

/**
 * One connection, of which whole requests are read from the socket and answered one after the other. With the first one that is
 * not usual it is given away, before anything of that one is done.
 */
export class DirectConnection {
  readonly #socket: Socket
  readonly #deps: DirectConnectionDeps
  /** What has arrived and has no answer yet. */
  #held: Buffer | null = null
  #pieces = 0
  #isBusy = false
  #hasEnded = false
  #isStopping = false

  constructor(socket: Socket, deps: DirectConnectionDeps) {
    this.#socket = socket
    this.#deps = deps
    // Until the first request: a connection without any is one for `node:http`.
    socket.setTimeout(bodyWaitMs)
    socket.on('data', this.#onData)
    socket.on('timeout', this.#onTimeout)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('drain', this.#onDrain)
  }

  /** Closes the connection, or lets the request that is being handled be the last one. */
  stop(): void {
    this.#isStopping = true
    if (!this.#isBusy) this.#socket.destroy()
  }

  readonly #onData = (bytes: Buffer): void => {
    this.#held = this.#held === null ? bytes : Buffer.concat([this.#held, bytes])
    if (this.#isBusy) this.#socket.pause()
    else this.#next()
  }

  readonly #onTimeout = (): void => {
    if (this.#isBusy) return
    if (this.#held !== null || this.#socket.bytesRead === 0) this.#giveAway()
    else this.#socket.destroy()
  }

  readonly #onEnd = (): void => {
    this.#hasEnded = true
    if (!this.#isBusy) this.#socket.end()
  }

  readonly #onError = (): void => void this.#socket.destroy()

  readonly #onDrain = (): void => this.#goOn()

  /** Takes the next request, if it is there. */
  #next(): void {
    const { read, operations } = this.#deps
    const held = this.#held
    if (held === null) return
    const answer = operations.find(held)
    const found = answer === null ? 'unusual' : read(held)
    if (found === 'incomplete' && this.#pieces < maxPieces) {
      this.#pieces += 1
      this.#socket.setTimeout(bodyWaitMs)
      return
    }
    if (answer === null || typeof found === 'string') return this.#giveAway()
    this.#held = found.endsAt < held.length ? held.subarray(found.endsAt) : null
    this.#pieces = 0
    this.#isBusy = true
    void this.#handle(found, answer)
  }

  async #handle(request: WholeRequest, answer: Answer): Promise<void> {
    const response = await answer(request, this.#socket)
    const socket = this.#socket
    if (socket.destroyed) return
    if (this.#isStopping || this.#hasEnded) return void socket.end(responseText(response, null))
    const { keepAliveTimeoutMs } = this.#deps
    const idleMs = keepAliveTimeoutMs + keepAliveBufferMs
    if (socket.timeout !== idleMs) socket.setTimeout(idleMs)
    if (socket.write(responseText(response, Math.floor(keepAliveTimeoutMs / 1000)))) this.#goOn()
  }

  #goOn(): void {
    if (!this.#isBusy || this.#socket.writableNeedDrain) return
    this.#isBusy = false
    if (this.#held === null) return
    this.#socket.resume()
    this.#next()
  }

  #giveAway(): void {
    const socket = this.#socket
    socket.off('data', this.#onData)
    socket.off('timeout', this.#onTimeout)
    socket.off('end', this.#onEnd)
    socket.off('error', this.#onError)
    socket.off('drain', this.#onDrain)
    socket.setTimeout(0)
    socket.pause()
    if (this.#held !== null) socket.unshift(this.#held)
    this.#held = null
    this.#deps.passOn(socket)
    socket.resume()
  }
}
