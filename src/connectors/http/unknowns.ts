import { hourMs, minuteMs } from '../../runtime/clock.ts'
import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { ConnectorEvents, Outcome } from '../connector.ts'
import type { PastSubmission } from '../past-submission.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import type { Exchange, Exchanged } from './exchange.ts'
import { type Doubtful, lookUp, resolveUnknown, type Sought } from './resolve.ts'

/** When a submission is looked up again after its outcome was reported as unknown, from its end on. */
const laterMs: readonly number[] = [5 * minuteMs, 30 * minuteMs, 6 * hourMs, 24 * hourMs]
/** An hour of a provider that answers nothing, at 3 messages a second. */
const maxLater = 10_000
/** Between two look-ups after a start, when many may be due at once: 5 a second. */
const resumePauseMs = 200
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
    if (!this.#isEnding) this.#lookLater(unknown)
    return outcome
  }

  /** Looks up submissions of former links, one after another, and later again as those of this one. */
  resume(past: readonly PastSubmission[], from = 0): void {
    const next = past[from]
    if (next === undefined || this.#isEnding || !this.#canAsk) return
    this.#lookAfter(resumePauseMs, soughtOf(next), () => this.resume(past, from + 1))
  }

  get #canAsk(): boolean {
    const { lookup } = this.#deps.exchange.declaration
    return lookup?.by_reference !== undefined || lookup?.search !== undefined
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

  #lookLater(unknown: Sought): void {
    const ageMs = Math.max(0, this.#deps.tools.now() - unknown.endedAt)
    const atMs = laterMs.find((each) => each > ageMs)
    if (atMs !== undefined && this.#canAsk) this.#lookAfter(atMs - ageMs, unknown)
  }

  #lookAfter(ms: number, unknown: Sought, next = (): void => undefined): void {
    const { attemptId } = unknown.submission
    if (this.#later.size >= maxLater) return
    const cancel = this.#deps.tools.schedule(ms, () => {
      this.#later.delete(attemptId)
      // What was found could not be stored.
      this.#look(unknown).catch(() => this.#lookLater(unknown))
      next()
    })
    this.#later.set(attemptId, cancel)
  }

  async #look(unknown: Sought): Promise<void> {
    const found = await lookUp(this.#lookupDeps(), unknown)
    if (this.#isEnding) return
    if (found.kind !== 'accepted') return this.#lookLater(unknown)
    this.#deps.accepted(found.ids)
    const outcome: Outcome = { kind: 'accepted', networkIds: found.ids, receiptExpected: true }
    await this.#deps.events.lateOutcome(unknown.submission.attemptId, outcome)
  }
}

const soughtOf = ({ text, startedAt, endedAt, ...past }: PastSubmission): Sought => ({
  // Nothing of it is sent again: its validity counts no more.
  submission: { ...past, text: text ?? '', validitySeconds: 1 },
  beganAt: startedAt,
  endedAt,
  isErased: text === null,
})
