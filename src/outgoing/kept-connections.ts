import { Agent } from 'node:http'
import type { Socket } from 'node:net'

/** Servers close a connection after 5 s of rest or more (Node's own default): one that rests for less is rarely closed as a request leaves. */
const restMs = 4_000

/** An open connection, with TLS where its URL has it: for one request after another, never for two at a time. */
export class OneConnection extends Agent {
  readonly #socket: Socket
  #isGiven = false

  constructor(socket: Socket) {
    super({ keepAlive: true, maxSockets: 1, timeout: restMs })
    this.#socket = socket
  }

  /** Gives the connection to its first request; later ones get it from the agent as long as it is open. */
  override createConnection(): Socket {
    if (this.#isGiven) throw new Error('the connection was closed')
    this.#isGiven = true
    return this.#socket
  }

  get isClosed(): boolean {
    return this.#socket.destroyed
  }

  /** It rests, and the peer has not closed it as far as is known. */
  get isFree(): boolean {
    return !this.isClosed && Object.values(this.freeSockets).some((sockets) => (sockets?.length ?? 0) > 0)
  }

  close(): void {
    this.#socket.destroy()
    this.destroy()
  }
}

/** Connections that rest between requests, by the origin of their URLs. They keep no process alive. */
export class KeptConnections {
  readonly #resting = new Map<string, OneConnection[]>()
  #isClosed = false

  /** Returns one that rests, the latest first; null when there is none. */
  take({ origin }: URL): OneConnection | null {
    const resting = this.#resting.get(origin) ?? []
    for (let last = resting.pop(); last !== undefined; last = resting.pop()) {
      if (last.isFree) return last
      last.close()
    }
    return null
  }

  /** Keeps one whose answer was read whole. There are at most as many as requests at the same time. */
  put({ origin }: URL, connection: OneConnection): void {
    if (this.#isClosed) return connection.close()
    const resting = (this.#resting.get(origin) ?? []).filter((each) => !each.isClosed)
    this.#resting.set(origin, [...resting, connection])
  }

  close(): void {
    this.#isClosed = true
    for (const connection of [...this.#resting.values()].flat()) connection.close()
    this.#resting.clear()
  }
}
