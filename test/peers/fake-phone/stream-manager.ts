import type { Registration } from './phone-api.ts'
import { followStream, type OpenStream, type StreamEvent } from './event-stream.ts'
import type { PhoneKnobs } from './phone-knobs.ts'
import type { PhoneLog, StreamRecord } from './phone-log.ts'
import type { PhoneNetwork } from './phone-network.ts'
import type { PhoneTime } from './phone-time.ts'

export interface StreamHouse {
  phone: number
  baseUrl: string
  knobs(): PhoneKnobs
  network: PhoneNetwork
  time: PhoneTime
  log: PhoneLog
  registration(): Registration | null
  opened(): void
  heard(event: StreamEvent): void
}

/** The app's wait before it opens a stream again, after so many closes since one was open. */
const reconnectMs = (attempts: number): number => {
  if (attempts > 10) return 60_000
  return attempts > 5 ? 30_000 : 5_000
}

/**
 * The app's event streams. It keeps the token of its first connection until it is started anew, forgets an older stream when
 * it opens another without closing it, and on the end of any of them cancels the newest one too.
 */
export class StreamManager {
  readonly #house: StreamHouse
  readonly #open = new Map<number, OpenStream>()
  readonly #tries = new Map<number, AbortController>()
  #token: string | null = null
  #streams = 0
  #newest: number | null = null
  #attempts = 0
  #generation = 0

  constructor(house: StreamHouse) {
    this.#house = house
  }

  /** How many are open now. */
  get open(): number {
    return this.#open.size
  }

  /** Whether one has been asked for since the start. */
  get isStarted(): boolean {
    return this.#token !== null
  }

  connect(): void {
    this.#token ??= this.#house.registration()?.token ?? null
    if (this.#token !== null) void this.#connect(this.#token, this.#generation)
  }

  /** Ends all of them for good, as the end of the app does. */
  stop(): void {
    this.#generation += 1
    this.#token = null
    this.#newest = null
    this.#attempts = 0
    for (const abort of this.#tries.values()) abort.abort()
    for (const stream of this.#open.values()) stream.cancel()
  }

  /** Ends the connections as a bad network does: the app will open them again. */
  cut(): void {
    for (const stream of this.#open.values()) stream.cancel()
  }

  /** Takes up or leaves off reading, as `halfOpen` says now. */
  applyHalfOpen(): void {
    for (const stream of this.#open.values()) stream.pause(this.#house.knobs().halfOpen)
  }

  async #connect(token: string, generation: number): Promise<void> {
    const stream = (this.#streams += 1)
    this.#newest = stream
    const abort = new AbortController()
    this.#tries.set(stream, abort)
    const ended = (): void => {
      this.#tries.delete(stream)
      if (this.#open.delete(stream)) this.#write(stream, 'closed')
      if (generation === this.#generation) this.#scheduleReconnect(stream, token)
    }
    try {
      const response = await this.#request(token, abort.signal)
      if (generation !== this.#generation) return void response.destroy()
      this.#attempts = 0
      this.#open.set(stream, followStream(response, this.#listener(stream), ended))
      this.#write(stream, 'opened')
      this.#house.opened()
      this.applyHalfOpen()
    } catch {
      ended()
    }
  }

  async #request(token: string, signal: AbortSignal) {
    const { phone, baseUrl, knobs, log, network } = this.#house
    const at = Date.now()
    const write = (status: number | null, error: string | null): void =>
      log.append({ kind: 'request', phone, at, tookMs: Date.now() - at, what: 'stream', method: 'GET', path: '/events', status, error, body: null }) // prettier-ignore
    try {
      const response = await network.open({
        method: 'GET',
        url: `${baseUrl}/events`,
        timeoutMs: knobs().streamReadTimeoutMs,
        signal,
        headers: {
          // The bare agent of OkHttp, without the version of the app.
          'user-agent': 'okhttp/4.10.0',
          accept: 'text/event-stream',
          'cache-control': 'no-cache',
          authorization: `Bearer ${token}`,
        },
      })
      write(response.statusCode as number, null)
      const type = response.headers['content-type'] ?? ''
      if (response.statusCode !== 200 || !type.startsWith('text/event-stream')) {
        response.destroy()
        throw new Error(`No event stream: ${response.statusCode} ${type}`)
      }
      return response
    } catch (error) {
      if (!(error as Error).message.startsWith('No event stream')) write(null, (error as Error).message)
      throw error
    }
  }

  #listener(stream: number) {
    return {
      event: (event: StreamEvent) => {
        this.#write(stream, 'event', event.event, event.data)
        this.#house.heard(event)
      },
      comment: (text: string) => this.#write(stream, 'comment', null, text),
    }
  }

  #scheduleReconnect(ended: number, token: string): void {
    const { time } = this.#house
    const generation = this.#generation
    this.#attempts += 1
    time.after(reconnectMs(this.#attempts), () => {
      if (generation === this.#generation) void this.#connect(token, generation)
    })
    const newest = this.#newest
    this.#newest = null
    if (newest === null || newest === ended) return
    // The signal ends an open stream as well as one that is still being asked for.
    this.#tries.get(newest)?.abort()
  }

  #write(
    stream: number,
    what: StreamRecord['what'],
    event: string | null = null,
    data: string | null = null,
  ): void {
    const { phone, log } = this.#house
    log.append({ kind: 'stream', phone, at: Date.now(), stream, what, event, data })
  }
}
