import type { ConnectorTools } from '../../connector-tools.ts'

/** How often whoever waits looks whether it may wait on. */
const lookMs = 1_000

/** How many hand-overs a link has taken and not yet told the end of; who stops waits for none to be left. */
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
    if (this.#count === 0) for (const goOn of this.#whenNone.splice(0)) goOn()
  }

  /** Settles when none is open. */
  none(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenNone.push(resolve))
  }

  /** The same, but after so long at the latest, and within a second of when `mayWait` says no. */
  noneWithin(ms: number, mayWait: () => boolean = () => true): Promise<void> {
    const { monotonicMs, schedule } = this.#tools
    const untilMs = monotonicMs() + ms
    return new Promise((resolve) => {
      let cancel = (): void => undefined
      const look = (): void => {
        const leftMs = untilMs - monotonicMs()
        if (this.#count === 0 || leftMs <= 0 || !mayWait()) resolve()
        else cancel = schedule(Math.min(lookMs, leftMs), look)
      }
      look()
      void this.none().then(() => {
        cancel()
        resolve()
      })
    })
  }
}
