import { BoundedMap } from '../../bounded-map.ts'
import type { ConnectorTools } from '../connector-tools.ts'

/** Bounds the ids that are remembered: some hours of a busy link. */
export const mostIds = 100_000
/** An answer and a receipt that were sent at once may come by two connections. */
const behindMs = 2_000
/** What is not answered for so long is said again by most SMSCs: 10 s is what they wait at least. */
const mostWaitMs = 8_000
/** Bounds the numbers of which it is remembered that they were answered: two seconds of a link that sends 5,000 a second. */
const mostAnswered = 10_000

type Tools = Pick<ConnectorTools, 'monotonicMs' | 'schedule'>

/**
 * Ids that the SMSC gave to messages of ours, and the numbers whose submits wait for theirs. Only for one thing: a text that looks like a receipt, and
 * does not say that it is one, is taken for one when it is about a message of ours.
 */
export class KnownIds {
  readonly #ids = new BoundedMap<true>(mostIds)
  /** How many parts to a number wait for their answer. */
  readonly #open = new Map<string, number>()
  /** When the last answer about a number came. */
  readonly #answeredMs = new BoundedMap<number>(mostAnswered)
  /** Whoever waits for ids of a number, to look anew. */
  readonly #waiting = new Map<string, Set<() => void>>()
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
    this.#open.set(digits, (this.#open.get(digits) ?? 0) + 1)
    return () => {
      const left = (this.#open.get(digits) ?? 1) - 1
      if (left > 0) this.#open.set(digits, left)
      else this.#open.delete(digits)
      this.#answeredMs.set(digits, this.#tools.monotonicMs())
      for (const look of this.#waiting.get(digits) ?? []) look()
    }
  }

  /**
   * Whether a receipt that names one of `ids` is about a message of ours. While something to that number waits for its id, or has just had an answer, it
   * is waited for: some SMSCs say what became of a message before they say its id.
   */
  async willKnow(ids: readonly string[], digits: string): Promise<boolean> {
    const isKnown = (): boolean => ids.some((id) => this.has(id))
    const { monotonicMs, schedule } = this.#tools
    const endMs = monotonicMs() + mostWaitMs
    const leftMs = (): number => Math.min(endMs, this.#untilMs(digits)) - monotonicMs()
    if (isKnown() || leftMs() <= 0) return isKnown()
    const lookers = this.#waiting.get(digits) ?? new Set()
    this.#waiting.set(digits, lookers)
    await new Promise<void>((resolve) => {
      let cancel = (): void => undefined
      const look = (): void => {
        cancel()
        const ms = leftMs()
        if (!isKnown() && ms > 0) cancel = schedule(ms, look)
        else if (lookers.delete(look)) resolve()
      }
      lookers.add(look)
      look()
    })
    if (lookers.size === 0) this.#waiting.delete(digits)
    return isKnown()
  }

  /** Until when an id may come for something that was submitted to a number. */
  #untilMs(digits: string): number {
    if (this.#open.has(digits)) return Number.POSITIVE_INFINITY
    return (this.#answeredMs.get(digits) ?? Number.NEGATIVE_INFINITY) + behindMs
  }
}
