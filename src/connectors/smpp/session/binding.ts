import type { ConnectorTools } from '../../connector-tools.ts'
import { type ReconnectPolicy, reconnectWaitMs } from './reconnect-policy.ts'
import type { SessionEnd } from './session-events.ts'
import type { Session } from './session.ts'

/** The state of a binding. `lastEnd` is why its last session ended, until one is good again. */
export type BindingState =
  | { kind: 'connecting' | 'stopped'; lastEnd: SessionEnd | null }
  | { kind: 'bound'; sinceMs: number; lastEnd: SessionEnd | null }
  | { kind: 'waiting'; untilMs: number; lastEnd: SessionEnd | null }

interface Deps {
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule' | 'random' | 'counters' | 'lastSession'>
  policy: ReconnectPolicy
  createSession(): Session
  /** The state changed. */
  changed(): void
}

/** A session that lasted this long was good, even if nothing was submitted. */
const steadyMs = 10_000

/** One of the sessions of a link: reconnected, with back-off, whenever it has ended. */
export class Binding {
  readonly #deps: Deps
  #session: Session | null = null
  #state: BindingState = { kind: 'stopped', lastEnd: null }
  #failures = 0
  #isGood = false
  #stopping = false
  /** No session follows the current one. */
  #isLast = false
  #running: Promise<void> | null = null
  #endWait: () => void = () => undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The session, while it is bound. */
  get session(): Session | null {
    return this.#session?.state === 'bound' ? this.#session : null
  }

  /** The session, while it is bound and not suspect. */
  get trustedSession(): Session | null {
    const { session } = this
    return session === null || session.isSuspect ? null : session
  }

  /** Sets the window of the session that is bound, or binding. */
  setWindow(window: number): void {
    this.#session?.setWindow(window)
  }

  get state(): BindingState {
    return this.#state
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** The peer has accepted something: the next session may follow immediately, however soon this one ends. */
  provedGood(): void {
    this.#isGood = true
    this.#failures = 0
  }

  /** Keeps the session that is bound, or binding, and creates none after it. */
  bindNoMore(): void {
    this.#isLast = true
    this.#endWait()
  }

  /** Unbinds, once everything in flight has its response, and does not reconnect. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.bindNoMore()
    if (this.#session?.state === 'binding') this.#session.abort('the link is stopping')
    else if (this.#session !== null && this.#session.state !== 'closed') await this.#session.unbind()
    await this.#running
  }

  async #run(): Promise<void> {
    let lastEnd: SessionEnd | null = null
    const firstMs = this.#firstBindMs()
    if (firstMs > this.#deps.tools.monotonicMs()) {
      this.#become({ kind: 'waiting', untilMs: firstMs, lastEnd })
      await this.#wait(firstMs)
    }
    while (!this.#isLast) {
      const session = this.#deps.createSession()
      this.#session = session
      this.#isGood = false
      this.#become({ kind: 'connecting', lastEnd })
      const end = await this.#outlive(session, lastEnd)
      this.#session = null
      if (this.#stopping) break
      lastEnd = end
      if (this.#isLast) break
      const untilMs = this.#waitFrom(end)
      this.#become({ kind: 'waiting', untilMs, lastEnd: end })
      await this.#wait(untilMs)
    }
    this.#become({ kind: 'stopped', lastEnd })
  }

  /** Binds, and returns why the session ended once it has. */
  async #outlive(session: Session, lastEnd: SessionEnd | null): Promise<SessionEnd> {
    const { monotonicMs } = this.#deps.tools
    const bound = await session.open()
    const sinceMs = monotonicMs()
    if (bound.kind === 'bound') this.#become({ kind: 'bound', sinceMs, lastEnd })
    const end = await session.ended
    const { lastSession } = this.#deps.tools
    if (lastSession !== undefined) lastSession.endedMs = monotonicMs()
    if (bound.kind !== 'bound') return end
    if (!this.#stopping && !isByUs(end)) this.#deps.tools.counters?.sessionLost()
    if (monotonicMs() - sinceMs >= steadyMs) this.provedGood()
    return end
  }

  /** The previous link may have left the peer, or been left by it, only now. */
  #firstBindMs(): number {
    const { tools, policy } = this.#deps
    return (tools.lastSession?.endedMs ?? Number.NEGATIVE_INFINITY) + policy.minMs
  }

  #waitFrom(end: SessionEnd): number {
    const { tools, policy } = this.#deps
    const waitMs = reconnectWaitMs(policy, end, this.#failures, tools.random())
    if (!this.#isGood) this.#failures += 1
    return tools.monotonicMs() + waitMs
  }

  #wait(untilMs: number): Promise<void> {
    const { tools } = this.#deps
    return new Promise((resolve) => {
      const cancel = tools.schedule(Math.max(0, untilMs - tools.monotonicMs()), resolve)
      this.#endWait = () => {
        cancel()
        resolve()
      }
    })
  }

  #become(state: BindingState): void {
    this.#state = state
    this.#deps.changed()
  }
}

const isByUs = ({ kind }: SessionEnd): boolean =>
  kind === 'unbound' || kind === 'inactive' || kind === 'aborted'
