import { BoundedMap } from '../../bounded-map.ts'
import type { ConnectorTools } from '../connector-tools.ts'

/** Bounds the ids that are remembered: some hours of a busy link. */
export const mostIds = 100_000
/** An answer and a receipt that were sent at once may come by two connections. */
const behindMs = 2_000
/** What is not answered for so long is said again by most SMSCs: 10 s is what they wait at least. */
const mostWaitMs = 8_000

type Tools = Pick<ConnectorTools, 'monotonicMs' | 'schedule'>

/** Submits to one number. */
interface Number {
  open: number
  /** When the last one was answered or given up. */
  endedMs: number
  changed: Set<() => void>
}

/**
 * Ids that the SMSC gave to messages of ours, and the numbers whose submits wait for theirs. Only for one thing: a text that looks like a receipt, and
 * does not say that it is one, is taken for one when it is about a message of ours.
 */
export class KnownIds {
  readonly #ids = new BoundedMap<true>(mostIds)
  readonly #numbers = new Map<string, Number>()
  readonly #tools: Tools

  constructor(tools: Tools) {
    this.#tools = tools
  }

  add(networkId: string): void {
    this.#ids.set(networkId, true)
  }

  has(networkId: string): boolean {
    return this.#ids.has(networkId)
  }

  /** A part is on its way to this number, in digits. Gives what to call once its answer was heard, or will not be. */
  submitted(digits: string): () => void {
    const number = this.#numbers.get(digits) ?? { open: 0, endedMs: 0, changed: new Set() }
    this.#numbers.set(digits, number)
    number.open += 1
    return () => {
      number.open -= 1
      number.endedMs = this.#tools.monotonicMs()
      for (const tell of number.changed) tell()
      if (number.open > 0) return
      this.#tools.schedule(behindMs, () => {
        if (number.open === 0 && this.#tools.monotonicMs() - number.endedMs >= behindMs)
          this.#numbers.delete(digits)
      })
    }
  }

  /**
   * Whether a receipt that names one of `ids` is about a message of ours. While something to that number waits for its id, or has just had an answer, it
   * is waited for: some SMSCs say what became of a message before they say its id.
   */
  async willKnow(ids: readonly string[], digits: string): Promise<boolean> {
    const isKnown = (): boolean => ids.some((id) => this.has(id))
    const number = this.#numbers.get(digits)
    if (isKnown() || number === undefined) return isKnown()
    const { monotonicMs, schedule } = this.#tools
    const endMs = monotonicMs() + mostWaitMs
    await new Promise<void>((resolve) => {
      let cancel = (): void => undefined
      const look = (): void => {
        cancel()
        const lastMs = number.open > 0 ? endMs : Math.min(endMs, number.endedMs + behindMs)
        const leftMs = lastMs - monotonicMs()
        if (isKnown() || leftMs <= 0) {
          number.changed.delete(look)
          return resolve()
        }
        cancel = schedule(leftMs, look)
      }
      number.changed.add(look)
      look()
    })
    return isKnown()
  }
}
