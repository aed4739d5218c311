import type { ServerResponse } from 'node:http'
import type { Clock } from '../../../runtime/clock.ts'
import type { Mode } from '../../../storage/tables/schema.ts'
import { endStream } from './end-stream.ts'

/** Topic of a live event: something of this kind has changed since the last event, or what has changed. */
export type LiveTopic = 'messages' | 'balance' | 'devices'

/**
 * Reads the current event of a topic for an account; null when there is nothing to send. `since` is the
 * `next` of the previous read of this stream.
 */
export interface LiveSource {
  topic: LiveTopic
  read(place: LivePlace, since: unknown): Promise<{ event: unknown; next: unknown } | null>
}

export interface LivePlace {
  accountId: string
  mode: Mode
}

interface OpenStream {
  place: LivePlace
  response: ServerResponse
  since: Map<LiveTopic, unknown>
  reading: boolean
  again: boolean
  cancelWait: (() => void) | null
  endsAtMs: number
  /** Consecutive polls at which the client had not yet read the previous output. */
  stalledPolls: number
}

/** Changes within this time are one event: faster than a person notices, slow enough for a busy account. */
const debounceMs = 150
/** Maximum delay of changes without a notification (another node, a command). */
const pollMs = 5_000
/** Keeps proxies from closing quiet streams, and makes writes to disconnected clients fail. */
const commentMs = 15_000
/** A client that reads nothing for this many polls is gone or asleep; it reconnects when it wakes. */
const maxStalledPolls = 4
/**
 * Lifetime of a stream. The client reconnects, and its session is checked again; a client that vanished is
 * detected by then.
 */
const lifeMs = 10 * 60_000

export interface LiveFeedDeps {
  clock: Pick<Clock, 'schedule' | 'monotonicMs'>
  sources: readonly LiveSource[]
  failed(error: unknown): void
}

/**
 * The live streams of the console. Code that changes an account calls `changed`, which costs nothing without
 * open streams; each stream then reads what is new. A slow poll finds everything else.
 */
export class LiveFeed {
  readonly #deps: LiveFeedDeps
  readonly #streams = new Set<OpenStream>()
  #cancelPoll: (() => void) | null = null
  #quietMs = 0

  constructor(deps: LiveFeedDeps) {
    this.#deps = deps
  }

  /** Number of open streams, of one account or in total. */
  count(accountId?: string): number {
    if (accountId === undefined) return this.#streams.size
    return [...this.#streams].filter(({ place }) => place.accountId === accountId).length
  }

  /** Writes events to `response` until it closes. */
  open(place: LivePlace, response: ServerResponse): void {
    const stream: OpenStream = {
      place,
      response,
      since: new Map(),
      reading: false,
      again: false,
      cancelWait: null,
      endsAtMs: this.#deps.clock.monotonicMs() + lifeMs,
      stalledPolls: 0,
    }
    this.#streams.add(stream)
    response.once('close', () => {
      stream.cancelWait?.()
      this.#streams.delete(stream)
      if (this.#streams.size === 0) this.#cancelPoll?.()
      if (this.#streams.size === 0) this.#cancelPoll = null
    })
    response.write('retry: 2000\n\n')
    this.#wake(stream, 0)
    this.#cancelPoll ??= this.#deps.clock.schedule(pollMs, () => this.#poll())
  }

  /** Notifies streams of a possible change of this account; null for any account. */
  changed(accountId: string | null): void {
    if (this.#streams.size === 0) return
    for (const stream of this.#streams)
      if (accountId === null || stream.place.accountId === accountId) this.#wake(stream, debounceMs)
  }

  #poll(): void {
    this.#quietMs += pollMs
    const comment = this.#quietMs >= commentMs
    if (comment) this.#quietMs = 0
    const nowMs = this.#deps.clock.monotonicMs()
    for (const stream of this.#streams) {
      const { response } = stream
      stream.stalledPolls = response.writableNeedDrain ? stream.stalledPolls + 1 : 0
      if (stream.stalledPolls >= maxStalledPolls) response.destroy()
      else if (nowMs >= stream.endsAtMs) endStream(response)
      else if (comment && stream.stalledPolls === 0) response.write(':\n\n')
      this.#wake(stream, 0)
    }
    this.#cancelPoll = this.#deps.clock.schedule(pollMs, () => this.#poll())
  }

  #wake(stream: OpenStream, delayMs: number): void {
    if (stream.reading) {
      stream.again = true
      return
    }
    stream.cancelWait ??= this.#deps.clock.schedule(delayMs, () => {
      stream.cancelWait = null
      void this.#send(stream)
    })
  }

  async #send(stream: OpenStream): Promise<void> {
    // A client that does not read gets nothing more until it does.
    if (stream.response.writableNeedDrain) return
    stream.reading = true
    try {
      for (const { topic, read } of this.#deps.sources) {
        const found = await read(stream.place, stream.since.get(topic))
        // The client may have disconnected during the read.
        if (!stream.response.writable) return
        if (found === null) continue
        stream.since.set(topic, found.next)
        stream.response.write(`event: ${topic}\ndata: ${JSON.stringify(found.event)}\n\n`)
      }
    } catch (error) {
      this.#deps.failed(error)
    } finally {
      stream.reading = false
      if (stream.again) {
        stream.again = false
        this.#wake(stream, debounceMs)
      }
    }
  }
}
