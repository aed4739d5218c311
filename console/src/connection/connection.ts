import { isReachable } from './reachable.ts'

/** What the connection bar shows. */
export type ConnectionState =
  | { kind: 'up' }
  /** Since when, in ms since 1970: what is shown may be outdated. */
  | { kind: 'lost'; sinceMs: number }
  /** Up again for less than `shownBackMs`. */
  | { kind: 'back' }

/** A restart of the server or a change of networks is over before a bar would be read. */
const graceMs = 5_000
/** How long the bar says that the connection is back. */
const shownBackMs = 2_000
/** How often a server that did not answer is asked again. */
const retryMs = 5_000

const up: ConnectionState = { kind: 'up' }

/**
 * Whether this page is connected to the server. Sources report that they are broken: streams, calls, and parts of the page that could not be loaded because
 * the server did not answer. One for the whole page.
 */
export class Connection {
  #state: ConnectionState = up
  readonly #brokenSinceMs = new Map<object, number>()
  readonly #watchers = new Set<() => void>()
  readonly #restored = new Set<() => void>()
  readonly #retries = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isChecking = false

  get state(): ConnectionState {
    return this.#state
  }

  /** Calls `look` when `state` has changed; returns the function that ends it. */
  readonly watch = (look: () => void): (() => void) => {
    this.#watchers.add(look)
    return () => void this.#watchers.delete(look)
  }

  /** Calls `refresh` when a connection that was shown as lost is back; returns the function that ends it. */
  onRestored(refresh: () => void): () => void {
    this.#restored.add(refresh)
    return () => void this.#restored.delete(refresh)
  }

  /** Calls `retry` when the user asks to reconnect now; returns the function that ends it. */
  onRetry(retry: () => void): () => void {
    this.#retries.add(retry)
    return () => void this.#retries.delete(retry)
  }

  /** Reconnects everything that waits, without its pause. */
  readonly retryNow = (): void => {
    for (const retry of this.#retries) retry()
  }

  /** Records that `source` is broken, or works. `sinceMs` is when it was last known to work. The bar appears once one has been broken for `graceMs`. */
  report(source: object, isBroken: boolean, sinceMs: number = Date.now()): void {
    if (isBroken === this.#brokenSinceMs.has(source)) return
    if (isBroken) this.#brokenSinceMs.set(source, sinceMs)
    else this.#brokenSinceMs.delete(source)
    this.#update()
  }

  /** Removes a source that is used no more. That it was broken says nothing of the connection now, so the server is asked. */
  forget(source: object): void {
    if (this.#state.kind === 'lost' && this.#brokenSinceMs.size === 1 && this.#brokenSinceMs.has(source))
      void this.untilReachable()
    this.report(source, false)
  }

  /** Asks the server whether it is there, after a call that did not reach it, and shows the connection as lost when it is not. */
  async check(): Promise<void> {
    if (this.#isChecking || this.#state.kind === 'lost') return
    this.#isChecking = true
    if (!(await isReachable())) await this.untilReachable()
    this.#isChecking = false
  }

  /** Resolves when the server answers, after showing the connection as lost from now on. */
  async untilReachable(): Promise<void> {
    const source = {}
    this.#brokenSinceMs.set(source, Date.now())
    this.#show({ kind: 'lost', sinceMs: this.#sinceMs() })
    while (!(await isReachable())) await this.#pause()
    this.report(source, false)
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        stop()
        resolve()
      }
      const timer = setTimeout(end, retryMs)
      const stop = this.onRetry(end)
    })
  }

  #sinceMs(): number {
    return Math.min(...this.#brokenSinceMs.values())
  }

  #update(): void {
    clearTimeout(this.#timer)
    const { kind } = this.#state
    const isBroken = this.#brokenSinceMs.size > 0
    const showLost = (): void => this.#show({ kind: 'lost', sinceMs: this.#sinceMs() })
    if (isBroken && kind === 'up') this.#timer = setTimeout(showLost, graceMs)
    else if (isBroken) showLost()
    else if (kind === 'lost') {
      this.#show({ kind: 'back' })
      this.#timer = setTimeout(() => this.#show(up), shownBackMs)
      for (const refresh of this.#restored) refresh()
    } else if (kind === 'back') this.#timer = setTimeout(() => this.#show(up), shownBackMs)
  }

  #show(state: ConnectionState): void {
    this.#state = state
    for (const look of this.#watchers) look()
  }
}

export const connection = new Connection()
