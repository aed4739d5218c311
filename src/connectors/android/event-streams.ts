/** Where the frames of one event stream go. */
export interface StreamSink {
  write(frame: string): void
  /** Bytes that were written and not yet taken over by the network. */
  readonly pendingBytes: number
  end(): void
  /** Without waiting for whoever does not read. */
  cut(): void
}

/** An event as it stands in a stream. Without a line of data the app's reader drops it. */
export const eventFrame = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

interface OpenStream {
  sink: StreamSink
  /** Since when it takes no more bytes; null while it does. */
  stuckSinceMs: number | null
  /** How often in a row the phone was told by it to fetch, and did not. */
  unanswered: number
}

/** So many unanswered in a row make a dead stream: one may fall into a short gap of the network. */
const maxUnanswered = 2
/** A stream that nobody reads is written no further; the app asks anew when it opens another. */
const maxPendingBytes = 16 * 1024
/** A network that breaks each minute leaves some 15 dead ones, until TCP gives them up; more than this only a faulty app or a thief opens. */
const maxStreams = 64

/**
 * The event streams of one phone. Several at once are usual, and none is ever closed while the service runs: the app answers the end of one
 * by ending the others too, and opens them all again, for ever. One that is dead is left alone and not counted. Only beyond 64 the oldest is
 * cut, so that no phone has all connections of the service.
 */
export class EventStreams {
  readonly #open = new Set<OpenStream>()

  /** Takes a stream in; gives what to call when it has ended. */
  add(sink: StreamSink): () => void {
    const [oldest] = this.#open
    if (oldest !== undefined && this.#open.size >= maxStreams) {
      this.#open.delete(oldest)
      oldest.sink.cut()
    }
    const stream: OpenStream = { sink, stuckSinceMs: null, unanswered: 0 }
    this.#open.add(stream)
    return () => void this.#open.delete(stream)
  }

  get size(): number {
    return this.#open.size
  }

  /** How many carry what is written, as far as one can know. */
  living(nowMs: number, drainMs: number): number {
    return [...this.#open].filter(
      ({ stuckSinceMs, unanswered }) =>
        unanswered < maxUnanswered && (stuckSinceMs === null || nowMs - stuckSinceMs < drainMs),
    ).length
  }

  /** To all of them; false when there is none. */
  send(event: string, data: unknown): boolean {
    this.#write(eventFrame(event, data))
    return this.#open.size > 0
  }

  /** A comment, and a look at which streams still take bytes. */
  keepAlive(nowMs: number): void {
    for (const stream of this.#open) {
      if (stream.sink.pendingBytes === 0) stream.stuckSinceMs = null
      else stream.stuckSinceMs ??= nowMs
    }
    this.#write(':keepalive\n\n')
  }

  /** Nobody fetched although all were told to. */
  unanswered(): void {
    for (const stream of this.#open) stream.unanswered += 1
  }

  /** The phone did what it was told by them. Which of them told it cannot be known. */
  answered(): void {
    for (const stream of this.#open) stream.unanswered = 0
  }

  end(): void {
    for (const { sink } of this.#open) sink.end()
    this.#open.clear()
  }

  #write(frame: string): void {
    for (const { sink } of this.#open) if (sink.pendingBytes < maxPendingBytes) sink.write(frame)
  }
}
