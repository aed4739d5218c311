import { BoundedMap } from '../../runtime/bounded-map.ts'
import { hourMs, minuteMs } from '../../runtime/clock.ts'
import type { ConnectorEvents } from '../connector.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import { readDocument } from './answers/read-document.ts'
import { readReceipts } from './callbacks/read-receipts.ts'
import type { Exchange } from './exchange.ts'

/** Pauses before each look-up of a message; the last one repeats until the receipt is no longer waited for. */
export const pollPauses: readonly number[] = [10_000, 30_000, minuteMs, 2 * minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs] // prettier-ignore
/** Where the provider calls, a call may be lost: then one look-up tells. */
export const pausesBesideCalls: readonly number[] = [15 * minuteMs]
/** As long as a receipt is waited for by default. */
const longestMs = 72 * hourMs
/** Two requests at a time, each of which takes some 200 ms. */
const atOnce = 2
/** A day of a message every ten seconds, some 2 MB. More are read from the database again, once half of these have ended. */
const maxExpected = 10_000
/** After this it is read again where that failed. */
const readAgainMs = minuteMs

interface Expected {
  id: string
  dueMs: number
  endMs: number
}

interface Deps {
  tools: ConnectorTools
  events: Pick<ConnectorEvents, 'receipt'>
  exchange: Exchange
  pauses: readonly number[]
  /** Whether each message is looked up once more at the end of its pauses, until its receipt arrives. */
  isOnlyWay: boolean
}

/** Asks a provider for the state of accepted messages, at growing pauses, until it is final. */
export class ReceiptPolls {
  readonly #deps: Deps
  /** Messages by the number of their look-ups: as each lane has one pause, its first is due first. */
  readonly #lanes: Map<string, Expected>[]
  readonly #asking = new Set<string>()
  /** Looked up once next to calls: they may be read again before their receipt arrives. */
  readonly #looked = new BoundedMap<true>(maxExpected)
  /** Others found no room: the database has them. */
  #hasMore = false
  #cancelReading: (() => void) | null = null
  #cancel: (() => void) | null = null
  #isStopped = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#lanes = deps.pauses.map(() => new Map<string, Expected>())
  }

  /** Looks up these messages from now on. */
  expect(ids: readonly string[]): void {
    const endMs = this.#deps.tools.monotonicMs() + longestMs
    for (const id of ids) {
      if (this.#looked.has(id) || this.#asking.has(id) || this.#lanes.some((lane) => lane.has(id))) continue
      if (this.#count >= maxExpected) this.#hasMore = true
      else this.#add(0, { id, endMs })
    }
    this.#wake()
  }

  /** The provider called about a message: it is looked up no more. */
  told(id: string): void {
    for (const lane of this.#lanes) lane.delete(id)
    this.#readMore()
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
    this.#cancel = null
    this.#cancelReading?.()
  }

  get #count(): number {
    return this.#lanes.reduce((sum, each) => sum + each.size, this.#asking.size)
  }

  /** Reads once more what is expected, as after a start, when there is room for what had none. */
  #readMore(delayMs = 0): void {
    const { resumeAgain, schedule, log } = this.#deps.tools
    if (resumeAgain === undefined || !this.#hasMore || this.#isStopped) return
    if (this.#cancelReading !== null || this.#count > maxExpected / 2) return
    this.#cancelReading = schedule(delayMs, () => {
      this.#hasMore = false
      resumeAgain()
        .then(() => (this.#cancelReading = null))
        .catch((error: unknown) => {
          log('warn', 'failed to read the expected receipts again', { error: (error as Error).message })
          this.#hasMore = true
          this.#cancelReading = null
          this.#readMore(readAgainMs)
        })
    })
  }

  #add(round: number, { id, endMs }: Pick<Expected, 'id' | 'endMs'>): void {
    const last = this.#deps.pauses.length - 1
    if (round > last && !this.#deps.isOnlyWay) return this.#looked.set(id, true)
    const lane = Math.min(round, last)
    const dueMs = this.#deps.tools.monotonicMs() + (this.#deps.pauses[lane] as number)
    if (dueMs < endMs) this.#lanes[lane]?.set(id, { id, dueMs, endMs })
  }

  #wake(): void {
    if (this.#isStopped || this.#asking.size >= atOnce) return
    const heads = this.#lanes.flatMap((lane, round) => {
      const [first] = lane.values()
      return first === undefined ? [] : [{ round, expected: first }]
    })
    const next = heads.toSorted((a, b) => a.expected.dueMs - b.expected.dueMs)[0]
    this.#cancel?.()
    this.#cancel = null
    if (next === undefined) return
    const pauseMs = Math.max(0, next.expected.dueMs - this.#deps.tools.monotonicMs())
    this.#cancel = this.#deps.tools.schedule(pauseMs, () => {
      this.#cancel = null
      void this.#look(next.round, next.expected)
    })
  }

  async #look(round: number, expected: Expected): Promise<void> {
    if (this.#lanes[round]?.delete(expected.id) !== true) return this.#wake()
    this.#asking.add(expected.id)
    this.#wake()
    const isFinal = await this.#ask(expected.id).catch(() => false)
    this.#asking.delete(expected.id)
    if (this.#isStopped) return
    if (!isFinal) this.#add(round + 1, expected)
    this.#readMore()
    this.#wake()
  }

  /** Returns whether the state was final, and its receipt is stored. */
  async #ask(id: string): Promise<boolean> {
    const { exchange, events, tools } = this.#deps
    const { lookup, status, states = {}, codes = {} } = exchange.declaration
    if (lookup?.by_id === undefined) return true
    const exchanged = await exchange.ask(lookup.by_id, { id })
    if (this.#isStopped || exchanged.kind !== 'answered' || exchanged.answer.status !== 200) return false
    const { state, code } = lookup.by_id
    const reports = readReceipts(
      {
        status: {
          verify: 'none',
          state,
          ...(code !== undefined && { code }),
          per: status?.per ?? 'message',
          answer: { status: 200 },
        },
        states,
        codes,
      },
      readDocument(exchanged.answer.body),
      id,
    )
    for (const read of reports) {
      if (read.kind === 'unknown_word') tools.counters?.unparsed('word', read.word.slice(0, 40))
      if (read.kind !== 'receipt') continue
      await events.receipt(read.receipt)
      return true
    }
    return false
  }
}
