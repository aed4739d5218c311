import type { ConnectorTools } from '../../connector-tools.ts'
import type { Pace } from './pace.ts'
import type { PartValidity } from './part-validity.ts'

/** The parts that failed, of a message that was taken in part, go again for so long: handsets keep a half no longer. */
const wholeUntilMs = 300_000
/** Behind so many rounds that brought nothing, most of a minute, a half stays only where halves leave half of the room to other messages. */
const roundsInAnyCase = 10

interface Deps {
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
  pace: Pick<Pace, 'repeatMs'>
  /** How many messages the link may have open. */
  places(): number
}

/**
 * Messages of which a part was taken, while the rest waits for another try. Each keeps its place in the window, though nothing of it is on the wire:
 * a crash leaves all that is open unknown, and that is to be a window at the most.
 */
export class PartialRetries {
  readonly #deps: Deps
  readonly #ends = new Set<(goesAgain: boolean) => void>()
  #isHurried = false
  #isOver = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** How many wait. */
  get waiting(): number {
    return this.#ends.size
  }

  /** Until the parts that failed may go again; false when there is no time for that any more. */
  pause(fruitless: number, { startMs, endMs }: PartValidity): Promise<boolean> {
    const { tools, pace } = this.#deps
    const nowMs = tools.monotonicMs()
    const isLate = nowMs >= Math.min(startMs + wholeUntilMs, endMs)
    if (this.#isOver || isLate || this.#isInTheWay(fruitless)) return Promise.resolve(false)
    // A link that stops has no time for more than the first wait.
    const waitMs = pace.repeatMs(this.#isHurried ? 0 : fruitless)
    return this.#wait(Math.min(waitMs, endMs - nowMs))
  }

  /** What waits goes at once, and waits no longer than it must from now on. */
  goOn(): void {
    this.#isHurried = true
    this.#endAll(true)
  }

  /** What is no whole message by now never will be. */
  giveUp(): void {
    this.#isOver = true
    this.#endAll(false)
  }

  #isInTheWay(fruitless: number): boolean {
    return fruitless >= roundsInAnyCase && this.waiting + 1 > this.#deps.places() / 2
  }

  #wait(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (goesAgain: boolean): void => {
        cancel()
        this.#ends.delete(end)
        resolve(goesAgain)
      }
      const cancel = this.#deps.tools.schedule(ms, () => end(true))
      this.#ends.add(end)
    })
  }

  #endAll(goesAgain: boolean): void {
    for (const end of this.#ends) end(goesAgain)
  }
}
