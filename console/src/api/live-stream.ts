import type { LiveTopic } from '../../../src/api/console/core/live-feed.ts'
import { connection } from '../connection/connection.ts'
import { isReachable } from '../connection/reachable.ts'

export type Listener = (event: unknown) => void

/** Pause before a rejected stream is opened again. It doubles each time, up to the maximum. */
const firstPauseMs = 2_000
const maxPauseMs = 30_000
/** Silence after which the server is checked: a network that drops packets breaks no connection for minutes. */
const silentMs = 20_000

/**
 * Receives the events of the server, by topic, until `close`. The browser reconnects a stream that broke. It abandons
 * one whose response was no stream (a proxy without its server, a server that shuts down, a session that has ended).
 * This class reopens such a stream: after a pause, or as soon as the network is back or the page becomes visible.
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
  /** When the stream was last known to work, ms since 1970. */
  #lastSeenMs = Date.now()
  #isClosed = false
  readonly #onRejected: () => void
  readonly #stopRetry: () => void

  /** `onRejected` is called for every response that is not a stream. */
  constructor(address: string, onRejected: () => void) {
    this.#address = address
    this.#onRejected = onRejected
    this.#source = this.#open()
    this.#stopRetry = connection.onRetry(() => this.reopenIfBroken())
    window.addEventListener('online', this.#openIfRejected)
    document.addEventListener('visibilitychange', this.#onVisible)
  }

  /** Whether the stream was broken when last checked: the page may be outdated. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** Calls `listener` for each event of a topic. Returns the function that stops it. */
  listen(topic: LiveTopic, listener: Listener): () => void {
    const known = this.#listeners.get(topic)
    const listeners = known ?? new Set<Listener>()
    listeners.add(listener)
    if (known === undefined) {
      this.#listeners.set(topic, listeners)
      this.#subscribe(this.#source, topic, listeners)
    }
    return () => void listeners.delete(listener)
  }

  /** Calls `watcher` whenever `isBroken` may have changed. Returns the function that stops it. */
  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  /** Reopens a broken stream without its pause. */
  reopenIfBroken(): void {
    if (this.#isBroken) this.#reopen()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#silence)
    this.#stopRetry()
    connection.forget(this)
    window.removeEventListener('online', this.#openIfRejected)
    document.removeEventListener('visibilitychange', this.#onVisible)
    this.#source.close()
  }

  #open(): EventSource {
    const source = new EventSource(this.#address)
    source.addEventListener('open', () => {
      this.#pauseMs = firstPauseMs
      this.#markAlive()
      this.#report(false)
    })
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) void this.#handleRejection(source)
      else this.#report(true)
    })
    for (const [topic, listeners] of this.#listeners) this.#subscribe(source, topic, listeners)
    this.#startSilenceTimer()
    return source
  }

  /** Handles a rejection by the server (too many tabs, no session, no longer a member): the connection is not lost. */
  async #handleRejection(source: EventSource): Promise<void> {
    this.#openLater()
    this.#isBroken = true
    if (await isReachable()) this.#onRejected()
    else if (source === this.#source) this.#report(true)
    for (const watcher of this.#watchers) watcher()
  }

  #openLater(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#openIfRejected, this.#pauseMs)
    this.#pauseMs = Math.min(maxPauseMs, 2 * this.#pauseMs)
  }

  readonly #openIfRejected = (): void => {
    if (this.#source.readyState !== EventSource.CLOSED || document.visibilityState === 'hidden') return
    this.#reopen()
  }

  #reopen(): void {
    clearTimeout(this.#timer)
    this.#source.close()
    this.#source = this.#open()
  }

  #startSilenceTimer(): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => void this.#checkServer(), silentMs)
  }

  /** Checks whether the server responds. A hidden page checks when it becomes visible. */
  async #checkServer(): Promise<void> {
    const source = this.#source
    if (document.visibilityState === 'hidden' || source.readyState === EventSource.CLOSED) return
    const isUp = await isReachable()
    if (source !== this.#source || this.#isClosed) return
    if (isUp && source.readyState === EventSource.OPEN) return this.#markAlive()
    if (!isUp) this.#report(true)
    this.#reopen()
  }

  #markAlive(): void {
    this.#lastSeenMs = Date.now()
    this.#startSilenceTimer()
  }

  readonly #onVisible = (): void => {
    if (document.visibilityState === 'hidden') return
    if (this.#source.readyState === EventSource.CLOSED) this.#openIfRejected()
    else void this.#checkServer()
  }

  #subscribe(source: EventSource, topic: LiveTopic, listeners: ReadonlySet<Listener>): void {
    source.addEventListener(topic, (event: MessageEvent<string>) => {
      this.#markAlive()
      const content: unknown = JSON.parse(event.data)
      for (const listener of listeners) listener(content)
    })
  }

  #report(isBroken: boolean): void {
    this.#isBroken = isBroken
    connection.report(this, isBroken, this.#lastSeenMs)
    for (const watcher of this.#watchers) watcher()
  }
}
