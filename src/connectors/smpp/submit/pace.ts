import type { ConnectorTools } from '../../connector-tools.ts'
import { Throttle } from '../../rate.ts'

interface Deps {
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
  /** The health of the link changed. */
  changed(): void
  /** There is room again. */
  hasRoom(): void
}

/** Wake-ups for single tokens of a fast link are combined. */
const minWakeMs = 10
/** This many recipients with a full queue, with nothing accepted in between, are not the recipients' fault. */
const fullQueuesInARow = 3
/** Failed parts of a message that was partly accepted are retried after this. */
const retryAfterMs = 1_500
/** After this many unsuccessful retries they become rarer, up to the maximum. */
const quickRetries = 5
const maxRetryMs = 10_000

/** The rate of a link: what its SMSC accepts, when there is room again, and how soon failed parts are retried. */
export class Pace {
  readonly #deps: Deps
  readonly #throttle: Throttle
  /** Recipients whose queue was full since a part was accepted; no more than needed. */
  readonly #fullQueues = new Set<string>()
  /** Sessions had no room at the last check. */
  #isFull = false
  #isStopped = false
  #cancelWake: (() => void) | null = null

  constructor(deps: Deps, maxPerSecond: number | null) {
    this.#deps = deps
    this.#throttle = new Throttle(deps.tools, maxPerSecond)
  }

  get perSecond(): number {
    return this.#throttle.perSecond
  }

  get isThrottled(): boolean {
    return this.#throttle.isThrottled
  }

  /** Returns how many parts may be sent now. If it is none, a wake-up is scheduled. */
  roomOrWakeLater(): number {
    const { room } = this.#throttle
    if (room === 0) this.#wakeLater()
    return room
  }

  /** Does the same for what the sessions have room for, and notes whether they had none (`roomFreed`). */
  takeRoom(sessions: number): number {
    this.#isFull = sessions === 0
    return Math.min(sessions, this.roomOrWakeLater())
  }

  /** A request ended, or the peer accepts more: a caller that found no room is notified once. */
  roomFreed(): void {
    if (!this.#isFull) return
    this.#isFull = false
    this.#wakeLater()
  }

  /**
   * How long failed parts wait, after this many unsuccessful rounds in a row: at the rate of the link one may
   * be sent then.
   */
  repeatMs(fruitless: number): number {
    const waitMs = Math.min(retryAfterMs * 2 ** Math.max(0, fruitless - quickRetries + 1), maxRetryMs)
    return Math.max(waitMs, 1_000 / this.perSecond)
  }

  /** Records a sent part, retries included: the contracted rate covers everything that is sent. */
  spend(): void {
    this.#throttle.spend(1)
  }

  /** Takes back a part that was not written. */
  notWritten(): void {
    this.#throttle.spend(-1)
  }

  /** Records a part that the SMSC accepted. */
  taken(): void {
    this.#throttle.taken()
    this.#fullQueues.clear()
  }

  /** Slows down: the SMSC throttles. */
  throttled(): void {
    const { isThrottled } = this
    this.#throttle.tooMuch()
    if (!isThrottled) this.#deps.changed()
  }

  /** Records a full queue: it is only the recipient's, unless others' are full too. Then the link slows down. */
  queueFull(to: string): void {
    if (this.#fullQueues.size < fullQueuesInARow) this.#fullQueues.add(to)
    if (this.#fullQueues.size === fullQueuesInARow) this.throttled()
  }

  /** Applies another contract: the wake-up may have been set for a rate with a long wait. */
  setContracted(maxPerSecond: number | null): void {
    this.#throttle.setContracted(maxPerSecond)
    this.#cancelWake?.()
    this.#cancelWake = null
  }

  /** Cancels all wake-ups. */
  stop(): void {
    this.#isStopped = true
    this.#cancelWake?.()
  }

  #wakeLater(): void {
    if (this.#isStopped) return
    const { tools, hasRoom } = this.#deps
    this.#cancelWake ??= tools.schedule(Math.max(minWakeMs, this.#throttle.roomInMs), () => {
      this.#cancelWake = null
      hasRoom()
    })
  }
}
