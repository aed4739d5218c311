import type { ConnectorTools } from '../connector.ts'

/** Waits that can all be ended at once. */
export class Pauses {
  readonly #tools: Pick<ConnectorTools, 'schedule'>
  readonly #ends = new Set<(isOver: boolean) => void>()

  constructor(tools: Pick<ConnectorTools, 'schedule'>) {
    this.#tools = tools
  }

  /** True when the time is over; ended before, it is what the end says. */
  wait(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (isOver: boolean): void => {
        cancel()
        this.#ends.delete(finish)
        resolve(isOver)
      }
      const cancel = this.#tools.schedule(ms, () => finish(true))
      this.#ends.add(finish)
    })
  }

  endAll(isOver: boolean): void {
    for (const end of this.#ends) end(isOver)
  }
}
