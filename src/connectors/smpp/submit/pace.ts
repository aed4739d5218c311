import type { ConnectorTools } from '../../connector-tools.ts'
import { Throttle } from './throttle.ts'

interface Deps {
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
  /** What the link says of itself is another now. */
  changed(): void
  /** There is room again. */
  hasRoom(): void
}

/** Wake-ups for single tokens of a fast link are gathered. */
const minWakeMs = 10
/** So many recipients whose queue is full, with nothing taken in between, are no matter of theirs. */
const fullQueuesInARow = 3
/** Parts that failed, of a message that was taken in part, go again after this. */
const repeatAfterMs = 1_500
/** When that brought nothing so many times, ever later, up to the longest. */
const quickRepeats = 5
const longestRepeatMs = 10_000

/** How fast a link goes: what its SMSC bears, when there is room again, and how soon what failed goes again. */
export class Pace {
  readonly #deps: Deps
  readonly #throttle: Throttle
  /** Whose queue was full since a part was taken; no more than it takes. */
  readonly #fullQueues = new Set<string>()
  /** Sessions had no room when somebody last asked. */
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

  /** How many parts may go now. While it is none, it is told when there is room. */
  get room(): number {
    const { room } = this.#throttle
    if (room === 0) this.#wakeLater()
    return room
  }

  /** How many may go now, of those that the sessions have room for. */
  roomOf(sessions: number): number {
    this.#isFull = sessions === 0
    return Math.min(sessions, this.room)
  }

  /** A request ended, or the peer takes more: whoever found no room is told once. */
  roomCame(): void {
    if (!this.#isFull) return
    this.#isFull = false
    this.#wakeLater()
  }

  /** How long parts wait that go again, after so many rounds in a row that brought nothing: at the rate of the link one may go then. */
  repeatMs(fruitless: number): number {
    const waitMs = Math.min(repeatAfterMs * 2 ** Math.max(0, fruitless - quickRepeats + 1), longestRepeatMs)
    return Math.max(waitMs, 1_000 / this.perSecond)
  }

  /** A part goes out. One that goes again does too: the contracted rate is of what is on the wire. */
  spend(): void {
    this.#throttle.spend(1)
  }

  /** It was not written after all. */
  notWritten(): void {
    this.#throttle.spend(-1)
  }

  /** The SMSC took a part. */
  taken(): void {
    this.#throttle.taken()
    this.#fullQueues.clear()
  }

  /** The SMSC says that it is too much. */
  throttled(): void {
    const { isThrottled } = this
    this.#throttle.tooMuch()
    if (!isThrottled) this.#deps.changed()
  }

  /** A queue is full: the recipient's own, unless others' are too. Then the link slows down. */
  queueFull(to: string): void {
    if (this.#fullQueues.size < fullQueuesInARow) this.#fullQueues.add(to)
    if (this.#fullQueues.size === fullQueuesInARow) this.throttled()
  }

  /** Another contract: the wake-up may have been set for a rate under which the next part had to wait for long. */
  setContracted(maxPerSecond: number | null): void {
    this.#throttle.setContracted(maxPerSecond)
    this.#cancelWake?.()
    this.#cancelWake = null
  }

  /** Wakes nobody any more. */
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
