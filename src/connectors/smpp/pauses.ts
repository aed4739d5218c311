import type { ConnectorTools } from '../connector.ts'

/** Waits that can all be ended at once. */
export class Pauses {
  readonly #tools: Pick<ConnectorTools, 'schedule'>
  readonly #ends = new Set<() => void>()

  constructor(tools: Pick<ConnectorTools, 'schedule'>) {
    this.#tools = tools
  }

  /** True when the time is over, false when it was ended before. */
  wait(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (isOver: boolean): void => {
        cancel()
        this.#ends.delete(end)
        resolve(isOver)
      }
      const end = (): void => finish(false)
      const cancel = this.#tools.schedule(ms, () => finish(true))
      this.#ends.add(end)
    })
  }

  endAll(): void {
    for (const end of this.#ends) end()
  }
}
