import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { pick, type Random, type Span } from '../seeded-random.ts'
import { createMangler, type MangleFaults } from './mangle.ts'

/** What is done to one direction of all connections. */
export interface LaneFaults extends MangleFaults {
  /** For each piece as it came from the network; their order is kept. */
  delayMs: Span
  /** Keeps delays to about a tenth of a millisecond; its process does little else meanwhile, so it should be one of its own. */
  isExact: boolean
  /** Bytes for each write; null leaves pieces as they came. */
  slice: Span | null
  /** Nothing passes, and little is read, until this ends: then all does. */
  hold: boolean
}

export const noFaults: LaneFaults = {
  delayMs: 0,
  isExact: false,
  slice: null,
  hold: false,
  garbageEvery: null,
  garbageBytes: [1, 64],
  flipEvery: null,
}

interface LaneHost {
  faults(): LaneFaults
  random: Random
  /** The last byte that `cutAfter` lets through has left. */
  onCutPoint(): void
  onPassed(bytes: number): void
}

type Piece = { dueMs: number; bytes: Buffer | null }

/** Timers of Node.js count whole milliseconds, and may be one late: the rest of an exact delay is slept through in naps, one a turn for all lanes. */
const [timerMs, napMs] = [2, 0.05]
const sleeper = new Int32Array(new SharedArrayBuffer(4))
let hasNapped = false

function nap(): void {
  if (hasNapped) return
  hasNapped = true
  setImmediate(() => (hasNapped = false))
  Atomics.wait(sleeper, 0, 0, napMs)
}

/** Above so much that waits here, the source is not read. */
const roomBytes = 256 * 1024

/** One direction of one connection: from a source to a sink, in order, with faults. */
export class FaultLane {
  readonly #host: LaneHost
  readonly #source: Socket
  readonly #sink: Socket
  readonly #mangle: ReturnType<typeof createMangler>
  readonly #ended = new AbortController()
  #queue: Piece[] = []
  #queuedBytes = 0
  #isRunning = false
  #cutAfterBytes = Infinity
  /** What comes vanishes, an end too, and nobody is told. */
  isSwallowing = false
  /** Something has vanished: the stream cannot be trusted any more. */
  hasLost = false

  constructor(host: LaneHost, source: Socket, sink: Socket) {
    this.#host = host
    this.#source = source
    this.#sink = sink
    this.#mangle = createMangler(host.random)
    source.on('data', (bytes) => this.#add(this.#mangle(bytes, host.faults())))
    source.on('end', () => this.#add(null))
  }

  /** Puts bytes in at the place where the stream stands. */
  inject(bytes: Buffer): void {
    this.#add(bytes)
  }

  cutAfter(bytes: number): void {
    this.#cutAfterBytes = bytes
  }

  /** Faults have changed: what was held may go on. */
  look(): void {
    void this.#run()
  }

  stop(): void {
    this.#queue = []
    this.#ended.abort()
  }

  #add(bytes: Buffer | null): void {
    if (this.isSwallowing) {
      this.hasLost = true
      return
    }
    this.#queue.push({
      dueMs: performance.now() + pick(this.#host.random, this.#host.faults().delayMs),
      bytes,
    })
    this.#queuedBytes += bytes?.length ?? 0
    if (this.#queuedBytes >= roomBytes) this.#source.pause()
    void this.#run()
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      for (let piece = this.#next(); piece !== null; piece = this.#next()) {
        await this.#until(piece.dueMs)
        if (piece.bytes !== null) await this.#pass(piece, piece.bytes)
        else if (this.#next() !== null) this.#sink.end()
        if (this.#next() === null) break
        this.#queue.shift()
        if (this.#queuedBytes < roomBytes / 2) this.#source.resume()
      }
    } catch (error) {
      if (!this.#ended.signal.aborted) throw error
    } finally {
      this.#isRunning = false
    }
  }

  async #until(dueMs: number): Promise<void> {
    const { signal } = this.#ended
    for (let leftMs = dueMs - performance.now(); leftMs > 0; leftMs = dueMs - performance.now()) {
      if (!this.#host.faults().isExact) return wait(leftMs, undefined, { signal })
      if (leftMs > timerMs) await wait(leftMs - timerMs, undefined, { signal })
      else {
        nap()
        await nextTurn(undefined, { signal })
      }
    }
  }

  /** Null also while nothing may pass. */
  #next(): Piece | null {
    return this.#host.faults().hold ? null : (this.#queue[0] ?? null)
  }

  /** Passes a piece on; what a hold in the middle leaves stays in it. */
  async #pass(piece: Piece, whole: Buffer): Promise<void> {
    for (let left = whole; left.length > 0 && this.#next() !== null;) {
      const { slice } = this.#host.faults()
      const size = slice === null ? left.length : Math.max(1, pick(this.#host.random, slice))
      const bytes = left.subarray(0, Math.min(size, this.#cutAfterBytes))
      left = left.subarray(bytes.length)
      piece.bytes = left
      this.#queuedBytes -= bytes.length
      this.#cutAfterBytes -= bytes.length
      this.#host.onPassed(bytes.length)
      if (!this.#sink.write(bytes)) await this.#drained()
      // A turn between two writes, so that they do not travel together.
      if (slice !== null || this.#cutAfterBytes === 0)
        await nextTurn(undefined, { signal: this.#ended.signal })
      if (this.#cutAfterBytes === 0) this.#host.onCutPoint()
    }
  }

  #drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal } = this.#ended
      const stop = (): void => {
        this.#sink.off('drain', done)
        reject(signal.reason as Error)
      }
      const done = (): void => {
        signal.removeEventListener('abort', stop)
        resolve()
      }
      signal.addEventListener('abort', stop, { once: true })
      this.#sink.once('drain', done)
    })
  }
}
