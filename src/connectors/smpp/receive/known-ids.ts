import { BoundedMap } from '../../../runtime/bounded-map.ts'
import type { ConnectorTools } from '../../connector-tools.ts'

/** Limits the remembered IDs: some hours of a busy link. */
export const maxIds = 100_000
/** A response and a receipt that were sent at the same time may arrive over two connections. */
const responseGraceMs = 2_000
/** A received response is stored within this. */
const storeGraceMs = 250
/** Less than the session allows for storing a delivery: what is still open then is requested again. */
const maxWaitMs = 6_000
/** Further ones are requested again immediately: held, they would block the responses that they wait for. */
export const maxHeld = 20
/** Networks write a number with, without or with another prefix, so its last digits are compared. */
const tellingDigits = 7
/** Limits the numbers whose last response is remembered: two seconds of a link that sends 5,000 per second. */
const maxAnswered = 10_000

type Tools = Pick<ConnectorTools, 'monotonicMs' | 'schedule'>

/**
 * IDs that the SMSC gave to our messages, and numbers with submissions in flight. Their only purpose: a text
 * that looks like a receipt, but is not marked as one, is treated as a receipt if it matches one of our
 * messages.
 */
export class KnownIds {
  readonly #ids = new BoundedMap<true>(maxIds)
  /** How many parts to a number are in flight. */
  readonly #open = new Map<string, number>()
  /** When the last response about a number arrived. */
  readonly #answeredMs = new BoundedMap<number>(maxAnswered)
  /** Callers that wait for IDs of a number, to check again. */
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

  /** Records a part in flight to this number. Returns the function to call once its response arrived, or never will. */
  submitted(number: string): () => void {
    const end = endOf(number)
    this.#open.set(end, (this.#open.get(end) ?? 0) + 1)
    return () => {
      const left = (this.#open.get(end) ?? 1) - 1
      if (left > 0) this.#open.set(end, left)
      else this.#open.delete(end)
      this.#answeredMs.set(end, this.#tools.monotonicMs())
      for (const check of this.#waiting.get(end) ?? []) check()
    }
  }

  /**
   * Settles when one of `ids` is known to match a message to one of `numbers`, or never will: some SMSCs send
   * the receipt before the response with its ID. It waits while a part to such a number is in flight, or has
   * just got its response. Rejects if it is still in flight after that, or if too many wait already: then the
   * SMSC delivers the receipt again. Without `ids` only the responses matter: it settles shortly after them,
   * and never rejects for one that is in flight.
   */
  async waitFor(ids: readonly string[], numbers: readonly string[]): Promise<void> {
    const isKnown = (): boolean => ids.some((id) => this.has(id))
    const graceMs = ids.length === 0 ? storeGraceMs : responseGraceMs
    const end = numbers.map(endOf).find((each) => this.#untilMs(each, graceMs) > this.#tools.monotonicMs())
    if (isKnown() || end === undefined) return
    if (this.#held >= maxHeld)
      throw new Error('Too many receipts wait for the responses to their submissions.')
    this.#held += 1
    await this.#whenDecided(end, graceMs, isKnown)
    this.#held -= 1
    if (ids.length > 0 && !isKnown() && this.#open.has(end))
      throw new Error('The response to its submission has not arrived yet.')
  }

  #whenDecided(end: string, graceMs: number, isKnown: () => boolean): Promise<void> {
    const { monotonicMs, schedule } = this.#tools
    const latestMs = monotonicMs() + maxWaitMs
    const checks = this.#waiting.get(end) ?? new Set()
    this.#waiting.set(end, checks)
    return new Promise((resolve) => {
      let cancel = (): void => undefined
      const check = (): void => {
        cancel()
        const leftMs = Math.min(latestMs, this.#untilMs(end, graceMs)) - monotonicMs()
        if (!isKnown() && leftMs > 0) {
          cancel = schedule(leftMs, check)
          return
        }
        checks.delete(check)
        if (checks.size === 0) this.#waiting.delete(end)
        resolve()
      }
      checks.add(check)
      check()
    })
  }

  /** Until when an ID may arrive for a part that was sent to such a number. */
  #untilMs(end: string, graceMs: number): number {
    if (this.#open.has(end)) return Number.POSITIVE_INFINITY
    return (this.#answeredMs.get(end) ?? Number.NEGATIVE_INFINITY) + graceMs
  }
}

const endOf = (number: string): string => number.replaceAll(/\D/g, '').slice(-tellingDigits)
