/** Where the frames of an event stream are written. */
export interface StreamSink {
  write(frame: string): void
  /** Bytes that were written and not yet accepted by the network. */
  readonly pendingBytes: number
  end(): void
  /** Closes without waiting for the reader. */
  cut(): void
}

/** Formats an event of a stream. Without a data line the app's reader drops it. */
export const eventFrame = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

interface OpenStream {
  sink: StreamSink
  /** Since when it accepts no more bytes; null while it does. */
  stuckSinceMs: number | null
  /** How many consecutive fetch events of this stream the phone did not follow. */
  unanswered: number
}

/**
 * Unanswered events in a row after which a stream counts as dead: a single one may fall into a short gap of
 * the network.
 */
const maxUnanswered = 2
/** Nothing more is written to a stream that is not read; the app reads everything again when it opens another. */
const maxPendingBytes = 16 * 1024
/**
 * A network that breaks every minute leaves about 15 dead streams until TCP closes them; only a faulty app or
 * an attacker opens more than this.
 */
const maxStreams = 64

/**
 * The event streams of one phone. Several at the same time are usual, and none is closed while the service
 * runs: the app responds to the end of one by closing the others and opening all again, indefinitely. A dead
 * one is ignored and not counted. Only beyond 64 the oldest is cut, so that no phone takes all connections of
 * the service.
 */
export class EventStreams {
  readonly #open = new Set<OpenStream>()

  /** Adds a stream; returns the function to call when it has ended. */
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

  /** How many streams deliver what is written, as far as this is known. Allocates nothing, like `SimPaces.partsFor`. */
  countLive(nowMs: number, drainMs: number): number {
    let live = 0
    for (const { stuckSinceMs, unanswered } of this.#open)
      if (unanswered < maxUnanswered && (stuckSinceMs === null || nowMs - stuckSinceMs < drainMs)) live += 1
    return live
  }

  /** Sends an event on all streams; false when there is none. */
  send(event: string, data: unknown): boolean {
    this.#write(eventFrame(event, data))
    return this.#open.size > 0
  }

  /** Writes a comment, and checks which streams still accept bytes. */
  keepAlive(nowMs: number): void {
    for (const stream of this.#open) {
      if (stream.sink.pendingBytes === 0) stream.stuckSinceMs = null
      else stream.stuckSinceMs ??= nowMs
    }
    this.#write(':keepalive\n\n')
  }

  /** Records that the phone did not fetch although all streams sent the event. */
  unanswered(): void {
    for (const stream of this.#open) stream.unanswered += 1
  }

  /** Records that the phone followed an event. Which stream delivered it cannot be known. */
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
