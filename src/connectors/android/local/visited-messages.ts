import { hourMs } from '../../../runtime/clock.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import type { Phone } from '../phone.ts'
import type { Offer, Registration, Report, VisitPorts } from '../ports.ts'
import type { AndroidSettings } from '../settings.ts'
import { reportsIn } from './entry-reports.ts'
import { cancelOffer, giveOffer } from './give-offers.ts'
import type { LocalApi } from './local-api.ts'
import { keepsData, type LostDeps } from './lost-data.ts'
import { afterReport, dueStates, type Watched } from './plan.ts'

/** What a visit works with. */
export interface VisitParts {
  tools: ConnectorTools
  ports: VisitPorts
  phone: Phone
  settings: () => AndroidSettings
}

interface VisitedMessagesDeps extends VisitParts {
  api: LocalApi
  /** Throws when another phone answers at the address. */
  requireSamePhone: () => Promise<unknown>
}

/** Messages that were listed and may get a receipt yet: as long as receipts are waited for. */
const listedMs = 72 * hourMs
const listPage = 500
/** Pages of the first list: more than a phone sends in three days. */
const maxListPages = 20
/** Entries that a page did not contain, asked for one by one in a visit. */
const maxSingly = 20

/** The messages of a visited phone: submits what it is offered, and follows what it has until nothing more is expected. */
export class VisitedMessages {
  readonly #deps: VisitedMessagesDeps
  readonly watched = new Map<string, Watched>()

  constructor(deps: VisitedMessagesDeps) {
    this.#deps = deps
  }

  get #nowMs(): number {
    return this.#deps.tools.monotonicMs()
  }

  get #phoneMs(): number {
    return this.#deps.tools.now() + this.#deps.phone.clockOffsetMs
  }

  /** See `keepsData`. */
  keepsData(registration: Registration): Promise<boolean> {
    return keepsData(this.#lostDeps(registration), new Set())
  }

  /** Reports everything that the phone has of the last days, and watches what may get another state. */
  async list(registration: Registration): Promise<void> {
    for (const attemptId of await this.#deps.ports.held(registration)) this.#watch(attemptId, null)
    const from = this.#phoneMs - listedMs
    for (let page = 0; page < maxListPages; page++) {
      const { rows, total } = await this.#deps.api.messages(from, {
        limit: listPage,
        offset: page * listPage,
      })
      await this.#report(
        registration,
        rows.flatMap((row) => this.#reportsIn(row)),
      )
      if ((page + 1) * listPage >= total) return
    }
  }

  /** Asks for the states that are due, for many of them by a page. */
  async askStates(registration: Registration): Promise<void> {
    const { ids, by } = dueStates(this.watched, this.#deps.settings(), this.#nowMs)
    const missing = new Set(ids)
    if (by === 'page') {
      const { rows } = await this.#deps.api.messages(this.#phoneMs - listedMs, { limit: listPage, offset: 0 })
      const reports = rows.flatMap((row) => this.#reportsIn(row)).filter(({ attemptId }) => missing.has(attemptId)) // prettier-ignore
      await this.#report(registration, reports)
      for (const { attemptId } of reports) missing.delete(attemptId)
    }
    for (const attemptId of [...missing].slice(0, maxSingly)) await this.#askState(registration, attemptId)
  }

  async #askState(registration: Registration, attemptId: string): Promise<void> {
    const watched = this.watched.get(attemptId)
    const { validUntil = null, state = null } = watched ?? {}
    // The app drops it by itself, but only when it is its turn.
    const isOver = state === 'pending' && validUntil !== null && validUntil < this.#deps.tools.now()
    const canceled = isOver ? await this.#deps.api.cancel(attemptId) : null
    const entry = canceled?.is === 'done' ? canceled.entry : await this.#deps.api.message(attemptId)
    if (entry !== null) return this.#report(registration, this.#reportsIn(entry))
    if (!(await keepsData(this.#lostDeps(registration), new Set()))) return
    // An offer that has not arrived is submitted.
    this.watched.delete(attemptId)
    if (state === 'pending' || state === 'processed') await this.#deleted(registration, attemptId)
  }

  /** One that the phone had and has no more may have been sent: it is never submitted again. */
  #deleted(registration: Registration, attemptId: string): Promise<void> {
    return this.#report(registration, [{ attemptId, state: 'failed', error: 'The phone has deleted it.' }])
  }

  /** Asks for an offer that the phone has acknowledged, and of which it has told nothing for long. */
  async #askAgain(registration: Registration, attemptId: string): Promise<void> {
    const entry = await this.#deps.api.message(attemptId)
    await (entry === null
      ? this.#deleted(registration, attemptId)
      : this.#report(registration, this.#reportsIn(entry)))
  }

  /** Submits what the phone is offered, if it is the phone that was connected. */
  async offer(registration: Registration): Promise<void> {
    const { ports, phone } = this.#deps
    phone.fetching()
    const offers = await ports.offer(registration)
    phone.fetched(offers.length)
    if (offers.length === 0) return
    await this.#deps.requireSamePhone()
    const [again, fresh] = [offers.filter(isAgain), offers.filter((offer) => !isAgain(offer))]
    const freshIds = new Set(fresh.map(({ attemptId }) => attemptId))
    // Data that were cleared have lost what was submitted: the same ID would be a second SMS.
    if (again.length > 0 && !(await keepsData(this.#lostDeps(registration), freshIds))) return
    const deps = {
      api: this.#deps.api,
      now: () => this.#deps.tools.now(),
      clockOffsetMs: () => phone.clockOffsetMs,
      heard: (offer: Offer, entry: Record<string, unknown>) => {
        this.#watch(offer.attemptId, offer.validUntil)
        const reports = this.#reportsIn(entry)
        const pending = { attemptId: offer.attemptId, state: 'pending', error: null } as const
        return this.#report(registration, reports.length > 0 ? reports : [pending])
      },
      report: (report: Report) => this.#report(registration, [report]),
    }
    for (const offer of offers) {
      if (offer.state === 'cancelling') await cancelOffer(deps, offer)
      else if (offer.wasAcknowledged === true) await this.#askAgain(registration, offer.attemptId)
      else await giveOffer(deps, offer)
    }
  }

  #watch(attemptId: string, validUntil: number | null): void {
    const nowMs = this.#nowMs
    const before = this.watched.get(attemptId) ?? { state: null, changedMs: nowMs, askedMs: nowMs }
    this.watched.set(attemptId, { ...before, validUntil })
  }

  #reportsIn(entry: Record<string, unknown>): Report[] {
    return reportsIn(entry, this.#deps.phone.clockOffsetMs)
  }

  async #report(registration: Registration, reports: readonly Report[]): Promise<void> {
    if (reports.length === 0) return
    const { ports, phone } = this.#deps
    phone.reported(await ports.report(registration, reports))
    for (const { attemptId, state } of reports) {
      const nowMs = this.#nowMs
      const before = this.watched.get(attemptId) ?? { state: null, changedMs: nowMs, askedMs: nowMs, validUntil: null } // prettier-ignore
      const after = afterReport(before, state, nowMs)
      if (after === null) this.watched.delete(attemptId)
      else this.watched.set(attemptId, after)
    }
  }

  #lostDeps(registration: Registration): LostDeps {
    return {
      api: this.#deps.api,
      held: () => this.#deps.ports.held(registration),
      report: (reports) => this.#report(registration, reports),
      log: (message) => this.#deps.tools.log('warn', message),
    }
  }
}

const isAgain = (offer: Offer): boolean => offer.isAgain !== false || offer.state === 'cancelling'
