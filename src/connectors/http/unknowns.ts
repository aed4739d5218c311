import { hourMs, minuteMs } from '../../runtime/clock.ts'
import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { ConnectorEvents, Outcome } from '../connector.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import type { Exchange, Exchanged } from './exchange.ts'
import { type Doubtful, lookUp, resolveUnknown } from './resolve.ts'

/** When a submission is looked up again after its outcome was reported as unknown. */
const laterMs: readonly number[] = [5 * minuteMs, 30 * minuteMs, 6 * hourMs, 24 * hourMs]
/** An hour of a provider that answers nothing, at 3 messages a second. */
const maxLater = 10_000
/** IDs of accepted messages, by which a search tells them from the one that is sought. */
const maxIds = 10_000

interface Deps {
  tools: ConnectorTools
  events: Pick<ConnectorEvents, 'lateOutcome'>
  exchange: Exchange
  resolveMs: number
  outcomeOf(exchanged: Exchanged, unknown: Doubtful): Outcome
  /** A message turned out to be accepted, after its outcome was reported as unknown. */
  accepted(ids: readonly string[]): void
}

/** The submissions of a link whose outcome is unknown: what becomes known of them, at once or later. */
export class Unknowns {
  readonly #deps: Deps
  readonly #ids = new BoundedMap<true>(maxIds)
  readonly #waits = new Set<() => void>()
  readonly #later = new Map<string, () => void>()
  #isEnding = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Records the IDs of a message that was accepted. */
  took(ids: readonly string[]): void {
    for (const id of ids) this.#ids.set(id, true)
  }

  /** Returns what becomes known of a submission in time; otherwise `outcome`, and then it is looked up later. */
  async settle(unknown: Doubtful, outcome: Outcome, mayRepeat: () => boolean): Promise<Outcome> {
    const { resolveMs } = this.#deps
    const found = await resolveUnknown(
      {
        ...this.#lookupDeps(),
        mayRepeat,
        outcomeOf: (exchanged) => this.#deps.outcomeOf(exchanged, unknown),
      },
      unknown,
      { withinMs: resolveMs, wait: (ms) => this.#wait(ms), isEnding: () => this.#isEnding },
    )
    if (found !== null) return found
    if (!this.#isEnding) this.#lookLater(unknown, 0)
    return outcome
  }

  /** No more waiting: each submission is looked up once more, and settles. */
  hurry(): void {
    this.#isEnding = true
    for (const end of this.#waits) end()
    for (const cancel of this.#later.values()) cancel()
    this.#later.clear()
  }

  #lookupDeps() {
    const { tools, exchange } = this.#deps
    return { tools, exchange, isKnownId: (id: string) => this.#ids.has(id) }
  }

  #wait(ms: number): Promise<void> {
    if (this.#isEnding) return Promise.resolve()
    return new Promise((resolve) => {
      const end = (): void => {
        this.#waits.delete(end)
        cancel()
        resolve()
      }
      const cancel = this.#deps.tools.schedule(ms, end)
      this.#waits.add(end)
    })
  }

  #lookLater(unknown: Doubtful, round: number): void {
    const { lookup } = this.#deps.exchange.declaration
    const atMs = laterMs[round]
    if (atMs === undefined || (lookup?.by_reference === undefined && lookup?.search === undefined)) return
    if (this.#later.size >= maxLater) return
    const { attemptId } = unknown.submission
    const pauseMs = atMs - (laterMs[round - 1] ?? 0)
    const cancel = this.#deps.tools.schedule(pauseMs, () => {
      this.#later.delete(attemptId)
      void this.#look(unknown, round)
    })
    this.#later.set(attemptId, cancel)
  }

  async #look(unknown: Doubtful, round: number): Promise<void> {
    const found = await lookUp(this.#lookupDeps(), unknown)
    if (this.#isEnding) return
    if (found.kind !== 'accepted') return this.#lookLater(unknown, round + 1)
    this.#deps.accepted(found.ids)
    const outcome: Outcome = { kind: 'accepted', networkIds: found.ids, receiptExpected: true }
    await this.#deps.events.lateOutcome(unknown.submission.attemptId, outcome)
  }
}
