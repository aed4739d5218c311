import { hourMs } from '../../../runtime/clock.ts'
import { readHealth } from '../hooks.ts'
import type { VisitFacts } from '../phone-health.ts'
import type { Registration, Visited } from '../ports.ts'
import type { AndroidSettings } from '../settings.ts'
import { InboxReader } from './inbox.ts'
import { LocalApi } from './local-api.ts'
import { maskedSims } from './masked-sims.ts'
import { nextVisitMs, type Step, stepsOf } from './plan.ts'
import { type VisitFault, VisitFailed } from './visit-failed.ts'
import { VisitedMessages, type VisitParts } from './visited-messages.ts'

interface VisitorDeps extends VisitParts {
  deviceId: string
  password: string
}

/** Within this time no other device gets the address of one that has just answered. */
const trustedMs = 15_000
/** A wrong password is tried this seldom: the phone may return to an address that another device had. */
const lockedOutMs = hourMs / 4
/** Faults that no later visit mends, as far as is known. */
const lasting: readonly VisitFault[] = [
  'wrong_password', 'another_phone', 'not_the_app', 'too_old_to_visit', 'not_connected', 'address_not_private',
] // prettier-ignore

/**
 * Plays the part of a phone that fetches its messages: visits the Local Server of the app, stores what it
 * received, reports the states of its messages and submits what it is offered. One visit at a time; it can be
 * stopped between any two calls.
 */
export class Visitor {
  readonly #deps: VisitorDeps
  readonly #inbox = new InboxReader()
  readonly #messages: VisitedMessages
  readonly #api: LocalApi
  #cancelTimer: (() => void) | null = null
  #visiting: Promise<void> | null = null
  #isStopping = false
  #isListed = false
  #metMs = Number.NEGATIVE_INFINITY
  #seenMs: number | null = null
  #endedMs = Number.NEGATIVE_INFINITY
  #isWanted = false
  #hasFailed = false
  #fault: VisitFault | null = null
  #failingSinceMs: number | null = null

  constructor(deps: VisitorDeps) {
    this.#deps = deps
    this.#api = this.#createApi()
    this.#messages = new VisitedMessages({
      ...deps,
      api: this.#api,
      requireSamePhone: () => this.#requireSamePhone(),
    })
  }

  /** How the visits go, for the status of the device. */
  facts(nowMs: number): VisitFacts {
    return {
      fault: this.#fault,
      failingMs: this.#failingSinceMs === null ? null : nowMs - this.#failingSinceMs,
      isLasting: this.#fault !== null && lasting.includes(this.#fault),
    }
  }

  /** Makes the first visit soon. */
  start(): void {
    this.#visitIn(0)
  }

  /** Settles when the running call has ended and what it brought is stored. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#cancelTimer?.()
    this.#cancelTimer = null
    await this.#visiting
  }

  /** Something is queued, or must be canceled: visits as soon as the last visit is `visit_ms` ago. */
  wake(): void {
    this.#isWanted = true
    if (this.#visiting !== null || this.#fault !== null || this.#endedMs === Number.NEGATIVE_INFINITY) return
    this.#visitIn(this.#endedMs + this.#settings.visitMs - this.#nowMs)
  }

  /** The settings have changed: the next visit is by the new intervals. */
  settingsChanged(): void {
    if (this.#cancelTimer !== null && this.#endedMs !== Number.NEGATIVE_INFINITY) this.#planNext()
  }

  get #settings(): AndroidSettings {
    return this.#deps.settings()
  }

  get #nowMs(): number {
    return this.#deps.tools.monotonicMs()
  }

  get #phoneMs(): number {
    return this.#deps.tools.now() + this.#deps.phone.clockOffsetMs
  }

  #visitIn(delayMs: number): void {
    this.#cancelTimer?.()
    if (this.#isStopping) return
    this.#cancelTimer = this.#deps.tools.schedule(Math.max(0, delayMs), () => {
      this.#cancelTimer = null
      this.#visiting = this.#visit().finally(() => {
        this.#visiting = null
        this.#endedMs = this.#nowMs
        this.#planNext()
      })
    })
  }

  /** Counts from the end of the last visit. */
  #planNext(): void {
    const { hasBacklog } = this.#deps.phone
    const waitMs =
      this.#fault === 'wrong_password'
        ? lockedOutMs
        : nextVisitMs(this.#messages.watched, this.#settings, {
            nowMs: this.#endedMs,
            hasFailed: this.#hasFailed,
            hasBacklog: hasBacklog || this.#isWanted,
          })
    this.#visitIn(this.#endedMs + waitMs - this.#nowMs)
  }

  async #visit(): Promise<void> {
    this.#hasFailed = false
    try {
      const visited = await this.#deps.ports.visited(this.#deps.deviceId)
      const localId = this.#settings.local?.id
      if (visited === null || localId === '') throw new VisitFailed('not_connected')
      // Connected to another phone meanwhile: the visitor of that one is about to take over.
      if (visited.localId !== localId) throw new VisitFailed('stopped')
      const { pingIntervalS } = this.#settings
      const metForMs = this.#nowMs - this.#metMs
      const unseenMs = this.#nowMs - (this.#seenMs ?? Number.NEGATIVE_INFINITY)
      const steps = stepsOf({
        isFirst: !this.#isListed,
        isMet: this.#fault === null && metForMs < (pingIntervalS || 600) * 1_000 && unseenMs < trustedMs,
        silentMs: this.#seenMs === null ? this.#silentBefore() : this.#nowMs - this.#seenMs,
      })
      for (const step of steps) await this.#take(step, visited)
      this.#seenMs = this.#nowMs
      this.#ended(null)
      this.#deps.phone.contact({ ...visited.registration, usesPush: false }, null)
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    const { log } = this.#deps.tools
    this.#hasFailed = true
    if (!(error instanceof VisitFailed)) {
      log('error', 'failed to store what a phone reported; the next visit retries', { err: error })
      return
    }
    const { fault, message: detail } = error
    if (fault === 'stopped') return
    if (fault !== this.#fault) log('warn', 'a visit to a phone failed; retrying', { fault, detail })
    this.#ended(fault)
  }

  #ended(fault: VisitFault | null): void {
    this.#fault = fault
    this.#failingSinceMs = fault === null ? null : (this.#failingSinceMs ?? this.#nowMs)
    this.#deps.phone.reportHealth()
  }

  /** The silence before the start of this process, by the last report. */
  #silentBefore(): number | null {
    const { lastSeenAt } = this.#deps.phone.health()
    return lastSeenAt === null ? null : this.#deps.tools.now() - lastSeenAt
  }

  #take(step: Step, visited: Visited): Promise<void> {
    switch (step) {
      case 'meet':
        return this.#meet(visited.registration)
      case 'refresh':
        return this.#refresh(visited.connectedAt)
      case 'inbox':
        return this.#readInbox(visited)
      case 'list':
        return this.#messages.list(visited.registration).then(() => void (this.#isListed = true))
      case 'states':
        return this.#messages.askStates(visited.registration)
      case 'offers':
        this.#isWanted = false
        return this.#messages.offer(visited.registration)
    }
  }

  /** First without the password, then with it: an address may belong to another device by now. */
  async #meet(registration: Registration): Promise<void> {
    const { phone, ports } = this.#deps
    const { version, body } = await this.#api.health()
    const { sims } = await this.#requireSamePhone()
    await this.#messages.keepsData(registration)
    phone.contact({ ...registration, usesPush: false }, version)
    phone.pinged(readHealth(body))
    if (sims !== null) phone.sawSims(sims)
    const said = { name: null, sims: maskedSims(sims), usesPush: false, appVersion: version }
    await ports.update(registration, said)
    this.#metMs = this.#nowMs
  }

  async #requireSamePhone() {
    const device = await this.#api.device()
    if (device.id !== this.#settings.local?.id) throw new VisitFailed('another_phone')
    return device
  }

  async #refresh(connectedAt: number): Promise<void> {
    const offsetMs = this.#phoneMs - this.#deps.tools.now()
    const silentMs = this.#seenMs === null ? (this.#silentBefore() ?? 0) : this.#nowMs - this.#seenMs
    const since = Math.max(connectedAt + offsetMs, this.#phoneMs - silentMs - hourMs)
    if (since < this.#phoneMs) await this.#api.refreshInbox(since, this.#phoneMs)
  }

  #readInbox({ registration, connectedAt }: Visited) {
    const { ports, phone, tools } = this.#deps
    return this.#inbox.read({
      api: this.#api,
      phone,
      registration,
      connectedAt,
      days: this.#settings.inboxDays,
      nowMs: tools.now(),
      phoneMs: this.#phoneMs,
      store: (inbound) => ports.inbound(registration, inbound),
      log: (message) => tools.log('warn', message),
    })
  }

  #createApi(): LocalApi {
    const { tools, password, settings, phone } = this.#deps
    const { local } = settings()
    if (local === null) throw new Error('The phone has no local_address.')
    return new LocalApi({
      tools,
      address: local.address,
      user: local.user,
      password,
      mayCall: () => !this.#isStopping && tools.mayWrite?.() !== false,
      saw: (phoneMs) => phone.recordClock('hook', phoneMs),
    })
  }
}
