import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

export interface PhoneRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
  /** Real time without a byte. */
  timeoutMs: number
  signal?: AbortSignal
}

export interface PhoneAnswer {
  status: number
  contentType: string
  body: string
}

/** The phone's way to the internet. Being offline cuts what is open, and keeps the phone from opening anything. */
export class PhoneNetwork {
  readonly #agents
  readonly #open = new Set<ClientRequest>()
  readonly #waiting = new Set<() => void>()
  #isOnline = true

  constructor(ca: string | null) {
    // OkHttp keeps five idle connections for five minutes.
    const pool = { keepAlive: true, maxFreeSockets: 5, timeout: 300_000 }
    this.#agents = { http: new HttpAgent(pool), https: new HttpsAgent(ca === null ? pool : { ...pool, ca }) }
  }

  get isOnline(): boolean {
    return this.#isOnline
  }

  goOffline(): void {
    this.#isOnline = false
    this.cut()
  }

  goOnline(): void {
    this.#isOnline = true
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resume of waiting) resume()
  }

  /** Settles at once, or when the phone is back on the network. */
  whenOnline(): Promise<void> {
    return this.#isOnline ? Promise.resolve() : new Promise((resolve) => void this.#waiting.add(resolve))
  }

  /** Ends every connection. */
  cut(): void {
    for (const request of this.#open) request.destroy(new Error('The network is gone.'))
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }

  /** One request and its whole answer, whatever its status; rejects when none came. Asks again when a kept connection was stale. */
  async exchange(order: PhoneRequest): Promise<PhoneAnswer> {
    try {
      return await this.#exchangeOnce(order)
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error
      return this.#exchangeOnce(order)
    }
  }

  async #exchangeOnce(order: PhoneRequest): Promise<PhoneAnswer> {
    const response = await this.open(order)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const isZipped = response.headers['content-encoding'] === 'gzip'
    return {
      status: response.statusCode as number,
      contentType: response.headers['content-type'] ?? '',
      body: (isZipped ? await unzip(bytes) : bytes).toString('utf8'),
    }
  }

  /** Settles with the head of the answer; what follows is read from it. */
  open({ method, url, headers, body, timeoutMs, signal }: PhoneRequest): Promise<IncomingMessage> {
    if (!this.#isOnline) return Promise.reject(new Error('The phone has no network.'))
    const isSecure = url.startsWith('https:')
    const options = { method, headers, timeout: timeoutMs, ...(signal ? { signal } : {}) }
    return new Promise((resolve, reject) => {
      const request = isSecure
        ? httpsRequest(url, { ...options, agent: this.#agents.https })
        : httpRequest(url, { ...options, agent: this.#agents.http })
      this.#open.add(request)
      request.once('close', () => this.#open.delete(request))
      request.once('timeout', () => request.destroy(new Error('timeout')))
      request.on('error', (error: NodeJS.ErrnoException) =>
        reject(request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection() : error),
      )
      request.once('response', resolve)
      request.end(body)
    })
  }
}

/** The server had closed a connection that the phone kept for later. */
class StaleConnection extends Error {}

const unzip = promisify(gunzip)
