import type { LiveTopic } from '../../../src/api/console/core/live-feed.ts'
import { connection } from '../connection/connection.ts'
import { isReachable } from '../connection/reachable.ts'

export type Listener = (event: unknown) => void

/** How long before a stream that was refused is asked for again: the first time, twice as long each time after it, and at most. */
const firstPauseMs = 2_000
const longestPauseMs = 30_000
/** After so long without an event the server is asked whether it is there: a network that swallows packets breaks no connection for minutes. */
const silentMs = 20_000

/**
 * What the server tells, topic by topic, until `close`. A stream that broke is taken up again by the browser; one that was answered by anything but
 * a stream (a proxy with nothing behind it, a server that is closing, a session that has ended) the browser gives up for ever, so it is asked for anew
 * here: after a pause, or as soon as the network is back or somebody looks at the page.
 */
export class LiveStream {
  readonly #address: string
  readonly #listeners = new Map<LiveTopic, Set<Listener>>()
  readonly #watchers = new Set<() => void>()
  #source: EventSource
  #isBroken = false
  #pauseMs = firstPauseMs
  #timer: ReturnType<typeof setTimeout> | undefined
  #silence: ReturnType<typeof setTimeout> | undefined
  /** When it was last known to work, ms since 1970. */
  #heardMs = Date.now()
  #isClosed = false
  readonly #refused: () => void
  readonly #forgetRetry: () => void

  /** `refused` is called each time that it was answered by anything but a stream. */
  constructor(address: string, refused: () => void) {
    this.#address = address
    this.#refused = refused
    this.#source = this.#open()
    this.#forgetRetry = connection.onRetry(() => this.reopenIfBroken())
    window.addEventListener('online', this.#openIfRefused)
    document.addEventListener('visibilitychange', this.#look)
  }

  /** It stood still the last time that something was heard of it: what is shown may be old. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** Gives what ends it. */
  listen(topic: LiveTopic, listener: Listener): () => void {
    const known = this.#listeners.get(topic)
    const listeners = known ?? new Set<Listener>()
    listeners.add(listener)
    if (known === undefined) {
      this.#listeners.set(topic, listeners)
      this.#hear(this.#source, topic, listeners)
    }
    return () => void listeners.delete(listener)
  }

  /** Calls `look` whenever `isBroken` may have changed; gives what ends it. */
  watch = (look: () => void): (() => void) => {
    this.#watchers.add(look)
    return () => void this.#watchers.delete(look)
  }

  /** Asks for it now, and not after its pause. */
  reopenIfBroken(): void {
    if (this.#isBroken) this.#reopen()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#silence)
    this.#forgetRetry()
    connection.forget(this)
    window.removeEventListener('online', this.#openIfRefused)
    document.removeEventListener('visibilitychange', this.#look)
    this.#source.close()
  }

  #open(): EventSource {
    const source = new EventSource(this.#address)
    source.addEventListener('open', () => {
      this.#pauseMs = firstPauseMs
      this.#heard()
      this.#tell(false)
    })
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) void this.#wasRefused(source)
      else this.#tell(true)
    })
    for (const [topic, listeners] of this.#listeners) this.#hear(source, topic, listeners)
    this.#listenToSilence()
    return source
  }

  /** Refused by the server (too many tabs, no session, no member any more) the stream is off, and the connection is not lost. */
  async #wasRefused(source: EventSource): Promise<void> {
    this.#openLater()
    this.#isBroken = true
    if (await isReachable()) this.#refused()
    else if (source === this.#source) this.#tell(true)
    for (const look of this.#watchers) look()
  }

  #openLater(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#openIfRefused, this.#pauseMs)
    this.#pauseMs = Math.min(longestPauseMs, 2 * this.#pauseMs)
  }

  readonly #openIfRefused = (): void => {
    if (this.#source.readyState !== EventSource.CLOSED || document.visibilityState === 'hidden') return
    this.#reopen()
  }

  #reopen(): void {
    clearTimeout(this.#timer)
    this.#source.close()
    this.#source = this.#open()
  }

  #listenToSilence(): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => void this.#askWhetherThere(), silentMs)
  }

  /** A hidden page asks when it is looked at again. */
  async #askWhetherThere(): Promise<void> {
    const source = this.#source
    if (document.visibilityState === 'hidden' || source.readyState === EventSource.CLOSED) return
    const isThere = await isReachable()
    if (source !== this.#source || this.#isClosed) return
    if (isThere && source.readyState === EventSource.OPEN) return this.#heard()
    if (!isThere) this.#tell(true)
    this.#reopen()
  }

  #heard(): void {
    this.#heardMs = Date.now()
    this.#listenToSilence()
  }

  readonly #look = (): void => {
    if (document.visibilityState === 'hidden') return
    if (this.#source.readyState === EventSource.CLOSED) this.#openIfRefused()
    else void this.#askWhetherThere()
  }

  #hear(source: EventSource, topic: LiveTopic, listeners: ReadonlySet<Listener>): void {
    source.addEventListener(topic, (event: MessageEvent<string>) => {
      this.#heard()
      const told: unknown = JSON.parse(event.data)
      for (const listener of listeners) listener(told)
    })
  }

  #tell(isBroken: boolean): void {
    this.#isBroken = isBroken
    connection.report(this, isBroken, this.#heardMs)
    for (const look of this.#watchers) look()
  }
}
