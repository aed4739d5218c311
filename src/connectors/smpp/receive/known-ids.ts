import { BoundedMap } from '../../../runtime/bounded-map.ts'
import type { ConnectorTools } from '../../connector-tools.ts'

/** Bounds the ids that are remembered: some hours of a busy link. */
export const maxIds = 100_000
/** An answer and a receipt that were sent at once may come by two connections. */
const answerMs = 2_000
/** An answer that was heard is stored within this. */
const storedMs = 250
/** Less than the session gives to store a delivery: what is still open then is asked for again. */
const maxWaitMs = 6_000
/** More are asked for again at once: held, they would keep the answers that they wait for from being read. */
export const maxHeld = 20
/** Networks write a number with, without or with another prefix: its end tells. */
const tellingDigits = 7
/** Bounds the ends of numbers of which it is remembered that they were answered: two seconds of a link that sends 5,000 a second. */
const maxAnswered = 10_000

type Tools = Pick<ConnectorTools, 'monotonicMs' | 'schedule'>

/**
 * Ids that the SMSC gave to messages of ours, and the numbers whose submits wait for theirs. Only for one thing: a text that looks like a receipt, and
 * does not say that it is one, is taken for one when it is about a message of ours.
 */
export class KnownIds {
  readonly #ids = new BoundedMap<true>(maxIds)
  /** How many parts to a number wait for their answer. */
  readonly #open = new Map<string, number>()
  /** When the last answer about a number came. */
  readonly #answeredMs = new BoundedMap<number>(maxAnswered)
  /** Whoever waits for ids of a number, to look anew. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #held = 0
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

  /** A part is on its way to this number. Gives what to call once its answer was heard, or will not be. */
  submitted(number: string): () => void {
    const end = endOf(number)
    this.#open.set(end, (this.#open.get(end) ?? 0) + 1)
    return () => {
      const left = (this.#open.get(end) ?? 1) - 1
      if (left > 0) this.#open.set(end, left)
      else this.#open.delete(end)
      this.#answeredMs.set(end, this.#tools.monotonicMs())
      for (const look of this.#waiting.get(end) ?? []) look()
    }
  }

  /**
   * Settles when one of `ids` is known to be of a message to one of `numbers`, or will not be: some SMSCs say what became of a message before they
   * say its id. While something to such a number waits for its answer, or has just had one, that is waited for. Rejects where it is still open after
   * that, or too many wait already: whoever brings it is to bring it again. Without `ids` nothing tells but that the answers were heard: it settles soon
   * behind them, and never rejects for one that is still open.
   */
  async waitFor(ids: readonly string[], numbers: readonly string[]): Promise<void> {
    const isKnown = (): boolean => ids.some((id) => this.has(id))
    const behindMs = ids.length === 0 ? storedMs : answerMs
    const end = numbers.map(endOf).find((each) => this.#untilMs(each, behindMs) > this.#tools.monotonicMs())
    if (isKnown() || end === undefined) return
    if (this.#held >= maxHeld) throw new Error('Too many receipts wait for the answers to their submits.')
    this.#held += 1
    await this.#whenDecided(end, behindMs, isKnown)
    this.#held -= 1
    if (ids.length > 0 && !isKnown() && this.#open.has(end))
      throw new Error('The answer to its submit has not come yet.')
  }

  #whenDecided(end: string, behindMs: number, isKnown: () => boolean): Promise<void> {
    const { monotonicMs, schedule } = this.#tools
    const latestMs = monotonicMs() + maxWaitMs
    const lookers = this.#waiting.get(end) ?? new Set()
    this.#waiting.set(end, lookers)
    return new Promise((resolve) => {
      let cancel = (): void => undefined
      const look = (): void => {
        cancel()
        const leftMs = Math.min(latestMs, this.#untilMs(end, behindMs)) - monotonicMs()
        if (!isKnown() && leftMs > 0) {
          cancel = schedule(leftMs, look)
          return
        }
        lookers.delete(look)
        if (lookers.size === 0) this.#waiting.delete(end)
        resolve()
      }
      lookers.add(look)
      look()
    })
  }

  /** Until when an id may come for something that was submitted to such a number. */
  #untilMs(end: string, behindMs: number): number {
    if (this.#open.has(end)) return Number.POSITIVE_INFINITY
    return (this.#answeredMs.get(end) ?? Number.NEGATIVE_INFINITY) + behindMs
  }
}

const endOf = (number: string): string => number.replaceAll(/\D/g, '').slice(-tellingDigits)
