import type { ConnectorTools } from '../../connector-tools.ts'

/** How often a waiting caller checks whether it may continue to wait. */
const checkMs = 1_000

/** Counts the submissions in flight on a link; a stop waits until there are none. */
export class SubmissionsInFlight {
  readonly #tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
  #count = 0
  #whenNone: (() => void)[] = []

  constructor(tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>) {
    this.#tools = tools
  }

  get count(): number {
    return this.#count
  }

  began(): void {
    this.#count += 1
  }

  ended(): void {
    this.#count -= 1
    if (this.#count === 0) for (const resolve of this.#whenNone.splice(0)) resolve()
  }

  /** Settles when none is in flight. */
  none(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenNone.push(resolve))
  }

  /** The same, but after this time at the latest, and within a second of `mayWait` returning false. */
  noneWithin(ms: number, mayWait: () => boolean = () => true): Promise<void> {
    const { monotonicMs, schedule } = this.#tools
    const untilMs = monotonicMs() + ms
    return new Promise((resolve) => {
      let cancel = (): void => undefined
      const check = (): void => {
        const leftMs = untilMs - monotonicMs()
        if (this.#count === 0 || leftMs <= 0 || !mayWait()) resolve()
        else cancel = schedule(Math.min(checkMs, leftMs), check)
      }
      check()
      void this.none().then(() => {
        cancel()
        resolve()
      })
    })
  }
}
