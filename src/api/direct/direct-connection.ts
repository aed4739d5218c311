import type { Socket } from 'node:net'
import { responseText } from '../edge/response-text.ts'
import type { DirectOperations, Respond } from './direct-operations.ts'
import type { ReadRequest, WholeRequest } from './whole-request.ts'

export interface DirectConnectionDeps {
  read: ReadRequest
  operations: Pick<DirectOperations, 'find'>
  /** Gives the connection to `node:http`, which reads on from the first byte that has no answer yet. */
  passOn(socket: Socket): void
  /** Records what is thrown here, a bug. The connection is closed. */
  failed(error: unknown): void
  /** An idle connection is closed after this time, which each response announces, and `keepAliveBufferMs`. */
  keepAliveTimeoutMs: number
  keepAliveBufferMs: number
}

/** How long the next piece of a body, or the first request, may be on its way. Then `node:http` waits for it, with the limits of the server. */
const pieceWaitMs = 200
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
  /** It waits for a request, for what handles one, or for the client to take a response. */
  #state: 'reading' | 'handling' | 'writing' = 'reading'
  #hasEnded = false
  #isStopping = false

  constructor(socket: Socket, deps: DirectConnectionDeps) {
    this.#socket = socket
    this.#deps = deps
    // A connection on which nothing is asked is one for `node:http`.
    socket.setTimeout(pieceWaitMs)
    socket.on('data', this.#onData)
    socket.on('timeout', this.#onTimeout)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('drain', this.#onDrain)
  }

  /** Closes the connection, or lets the request that has begun to arrive be the last one. */
  stop(): void {
    this.#isStopping = true
    if (this.#state === 'writing' || (this.#state === 'reading' && this.#held === null))
      this.#socket.destroy()
  }

  readonly #onData = (bytes: Buffer): void => {
    this.#held = this.#held === null ? bytes : Buffer.concat([this.#held, bytes])
    if (this.#state === 'reading') this.#guarded(() => this.#next())
    else this.#socket.pause()
  }

  readonly #onTimeout = (): void => {
    if (this.#state === 'handling') return
    const isAsked = this.#held !== null || this.#socket.bytesRead === 0
    if (this.#state === 'reading' && isAsked && !this.#isStopping && !this.#hasEnded) this.#giveAway()
    else this.#socket.destroy()
  }

  readonly #onEnd = (): void => {
    this.#hasEnded = true
    if (this.#state === 'reading') this.#socket.destroySoon()
  }

  readonly #onError = (): void => void this.#socket.destroy()

  readonly #onDrain = (): void => this.#guarded(() => this.#goOn())

  /** Takes the next request, if it is there. */
  #next(): void {
    const { read, operations } = this.#deps
    const held = this.#held
    if (held === null) return
    const respond = operations.find(held)
    if (respond === null) return this.#giveAway()
    const found = read(held)
    if (found === 'incomplete' && this.#pieces < maxPieces) {
      this.#pieces += 1
      this.#socket.setTimeout(pieceWaitMs)
      return
    }
    if (typeof found === 'string') return this.#giveAway()
    this.#held = found.endsAt < held.length ? held.subarray(found.endsAt) : null
    this.#pieces = 0
    this.#state = 'handling'
    this.#handle(found, respond).catch(this.#fail)
  }

  /** What is thrown on an event would end the process. */
  #guarded(task: () => void): void {
    try {
      task()
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #fail = (error: unknown): void => {
    this.#deps.failed(error)
    this.#socket.destroy()
  }

  async #handle(request: WholeRequest, respond: Respond): Promise<void> {
    const response = await respond(request, this.#socket)
    const socket = this.#socket
    if (socket.destroyed) return
    this.#state = 'writing'
    if (this.#isStopping || this.#hasEnded)
      return void socket.end(responseText(response, null), () => socket.destroy())
    const { keepAliveTimeoutMs, keepAliveBufferMs } = this.#deps
    const idleMs = keepAliveTimeoutMs + keepAliveBufferMs
    if (socket.timeout !== idleMs) socket.setTimeout(idleMs)
    if (socket.write(responseText(response, Math.floor(keepAliveTimeoutMs / 1000)))) this.#goOn()
  }

  /** Continues with what arrived meanwhile, once the client has taken the response. */
  #goOn(): void {
    if (this.#state !== 'writing' || this.#socket.writableNeedDrain) return
    this.#state = 'reading'
    if (this.#held !== null) {
      this.#socket.resume()
      this.#next()
    } else if (this.#hasEnded) this.#socket.destroySoon()
  }

  #giveAway(): void {
    const socket = this.#socket
    // Nothing more comes, and what is there is no whole request.
    if (this.#hasEnded) return socket.destroySoon()
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
