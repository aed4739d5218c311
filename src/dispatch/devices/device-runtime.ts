import type { Clock } from '../../runtime/clock.ts'
import { isPull, type Link, type Outcome, type Pull, standingOf } from '../../connectors/connector.ts'
import { type Health, isWorking } from '../../connectors/health.ts'
import type { Log } from '../../process/log.ts'
import type { BreakerState } from '../trust/breaker.ts'
import { type Candidate, forParts } from '../routes/candidate.ts'
import { maxPartsOfMessage } from '../../devices/core/carrying.ts'
import { viaSim } from '../../devices/routes/way.ts'
import { configuredCandidate, type DeviceFacts } from '../configuration/device-facts.ts'
import { DeviceTrust } from '../trust/device-trust.ts'
import type { Addressed } from '../trust/doubt.ts'
import { degradedBy, drained } from './drained-health.ts'
import { HeldOffers } from '../trust/held-offers.ts'
import { carriedBy, knownSenders } from '../configuration/known-senders.ts'
import { busyBackoffMs, faultOfDevice } from '../outcomes/retry-policy.ts'
import { type Sim, SimPaces, type SimRoom } from '../rates/sim-paces.ts'
import { noSim, type PlanStates } from '../rates/plan-states.ts'
import { type Throughput, throughputOf } from '../rates/throughput.ts'
import { noReport, type UnreportedOffer, UnreportedOffers } from './unreported-offers.ts'

/** One running device: its link, its open claims, its rate limit, and whether it is trusted. */
export class DeviceRuntime {
  readonly link: Link | Pull
  /** For a device that fetches, while its breaker is half open. */
  readonly unreported = new UnreportedOffers()
  /** For a device that fetches. */
  readonly held: HeldOffers
  readonly #clock: Clock
  readonly trust: DeviceTrust
  readonly #leaseToken: (() => number | null) | null
  readonly #isLogged: () => boolean
  readonly #plans: Pick<PlanStates, 'roomOf' | 'reasonsOf' | 'forClaim'> | undefined
  #facts: DeviceFacts
  #paces: SimPaces
  #claimed = 0
  #inFlight = 0
  #restsUntilMs = Number.NEGATIVE_INFINITY
  /** Until when a limit lasts that the device keeps by itself. */
  #limitedUntilMs = Number.NEGATIVE_INFINITY
  #lastSentAt: number | null = null
  #lastError: string | null = null

  constructor(
    deps: {
      clock: Clock
      log: Log
      breakerRestMs: number
      /** Omitted: it has no SIM plan. */
      plans?: Pick<PlanStates, 'roomOf' | 'reasonsOf' | 'forClaim'>
      /** Token of the lease; null while the lease is not held. Omitted when any node may serve the device. */
      leaseToken?: () => number | null
      /** Whether submissions are logged: then messages may be claimed ahead of the window. */
      isLogged?: () => boolean
    },
    facts: DeviceFacts,
    link: Link | Pull,
  ) {
    this.#clock = deps.clock
    this.trust = new DeviceTrust(deps)
    this.#leaseToken = deps.leaseToken ?? null
    this.#isLogged = deps.isLogged ?? (() => false)
    this.#plans = deps.plans
    this.#facts = facts
    this.link = link
    this.held = new HeldOffers(this.trust, () => isPull(link) && standingOf(link).link === 'poll')
    this.#paces = this.#pacesOf(facts)
  }

  get facts(): DeviceFacts {
    return this.#facts
  }

  /** Whether this node may write to the device: always, or only while it holds the lease. */
  get hasLease(): boolean {
    return this.#leaseToken === null || this.#leaseToken() !== null
  }

  /** Whether claimed messages may be submitted: under the lease, and while the device is up. */
  get canSubmit(): boolean {
    return this.hasLease && isWorking(this.health)
  }

  /** Submissions in flight on the link. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Whether the link accepts one more submission. */
  get hasRoom(): boolean {
    return this.#inFlight < this.link.window
  }

  get lastSentAt(): number | null {
    return this.#lastSentAt
  }

  get lastError(): string | null {
    return this.#lastError
  }

  /** The health that the link reports, degraded by the trust in it. */
  get health(): Health {
    return this.#judged(this.link.health())
  }

  /** The same for a look at many devices (`Running.standing`). */
  get standing(): Health {
    return this.#judged(standingOf(this.link))
  }

  #judged(health: Health): Health {
    const isLimited = this.#clock.monotonicMs() < this.#limitedUntilMs
    const ofPlans = this.#plans?.reasonsOf(this.#facts.id) ?? []
    const reasons = [...this.trust.reasons, ...(isLimited ? ['limit_reached'] : []), ...ofPlans]
    const degraded = degradedBy(health, reasons, this.trust.isUnused)
    return this.#facts.isDraining ? drained(degraded) : degraded
  }

  /** Applies a changed row. A new rate limit begins a new window. Trust is reset: the change may be the fix. */
  update(facts: DeviceFacts): void {
    this.trust.reset()
    this.unreported.clear()
    this.#limitedUntilMs = Number.NEGATIVE_INFINITY
    const before = this.#facts.pace
    const same =
      before?.partsPerWindow === facts.pace?.partsPerWindow &&
      before?.windowSeconds === facts.pace?.windowSeconds
    if (!same) this.#paces = this.#pacesOf(facts)
    this.#facts = facts
  }

  /** Returns the candidate for messages of this sender, whose SIM may be at its rate limit while another is not. */
  candidate(sender: string | null = null): Candidate {
    const { isDraining } = this.#facts
    // Read once: each phone is a candidate for each fetch of any phone.
    const health = this.standing
    // An app that may not read its SIMs reports none, yet sends.
    const cannotSend = health.cannotSend === true && this.trust.goodInARow === 0
    const leaseToken = this.#leaseToken?.() ?? null
    const state = this.trust.state()
    const plans = this.#plans?.forClaim(this.#facts.id)
    const room =
      plans && this.#plans?.roomOf(this.#facts.id, isPull(this.link) ? this.roomsFor({ sender }) : noSim)
    const trust = cannotSend && state === 'closed' ? 'trial' : state
    const free = isDraining ? 0 : this.#free(sender, trust, cannotSend)
    const freeWithOthers = cannotSend ? 0 : this.#freeWithOthers(sender, free)
    const candidate: Candidate = {
      ...configuredCandidate(this.#facts),
      senders: knownSenders(this.#facts, this.link),
      // For queued messages a draining device counts as offline: another one may send them.
      health: !isDraining && isWorking(health) ? health.status : 'offline',
      free,
      ...(freeWithOthers < free ? { freeWithOthers } : {}),
      ...(cannotSend || this.trust.isDoubted ? { isDoubted: true } : {}),
      ...(this.trust.hasFailed ? { hasFailed: true } : {}),
      load: this.link.window === 0 ? 1 : Math.min(1, this.#claimed / this.link.window),
      ...carriedBy(this.link),
      ...(leaseToken === null ? {} : { leaseToken }),
      ...(this.claimsAhead ? { isLogged: true } : {}),
      ...(plans !== undefined && { plans }),
      ...(room !== undefined && { planRoom: room }),
    }
    return forParts(candidate, 1)
  }

  /** The rate limit and what is left of it; null for a device without one. */
  throughput(): Throughput | null {
    const { pace } = this.#facts
    return pace === null ? null : throughputOf(this.#paces, pace, this.#clock)
  }

  /** The SIMs that may send for a route with the room of each, the least used first. */
  roomsFor({ sender, way }: { sender: string | null; way?: string }): SimRoom[] {
    return this.#paces.roomsFor(sender, this.#clock.monotonicMs(), viaSim(way))
  }

  /** Notifies a device that fetches its messages that some are queued. */
  wake(): void {
    if (isPull(this.link)) this.link.wake()
  }

  /** Records a claim for this device. */
  claimed(parts: number): void {
    this.#claimed += 1
    this.#paces.spend(null, parts, this.#clock.monotonicMs())
  }

  /** Whether messages are claimed ahead of the window. */
  get claimsAhead(): boolean {
    return this.#ahead > 0
  }

  /** Records that a claimed message was submitted. */
  submitted(): void {
    this.#inFlight += 1
  }

  /** Records that the link returned the outcome of a submission. */
  answered(): void {
    this.#inFlight -= 1
  }

  /** Records that a claim was released without an attempt. */
  released(): void {
    this.#claimed -= 1
  }

  /** Records a fetched message for the rate limit of its SIM. What the device holds is counted in the database. */
  fetched({ sim, parts, ...offer }: UnreportedOffer & { sim: Sim; parts: number }): void {
    const nowMs = this.#clock.monotonicMs()
    this.#paces.spend(sim, parts, nowMs)
    this.held.given()
    if (this.trust.state() === 'trial') this.unreported.given(offer, nowMs)
  }

  /**
   * Applies what the database lists as unfinished of all that was fetched while half open. Until then the device gets
   * nothing more; an overdue message opens the breaker again. Shared devices carry the account meanwhile.
   */
  countedUnreported(offers: readonly UnreportedOffer[]): void {
    if (this.trust.state() === 'trial') this.unreported.counted(offers, this.#clock.monotonicMs())
    this.restIfOverdue()
  }

  /** Treats an overdue message of a half-open device as one without a response. */
  restIfOverdue(): void {
    if (this.unreported.isOverdue(this.#clock.monotonicMs())) this.record(noReport)
  }

  /** Records an outcome that a device that fetches reported, regardless of which node offered the attempt. */
  recordReport(attemptId: string, outcome: Outcome): void {
    if (this.trust.state() === 'trial') this.unreported.finished(attemptId)
    this.held.finished()
    this.record(outcome)
  }

  /** After a start: restores how much of the rate limit the current window has used. */
  resumePace = (past: Parameters<SimPaces['resume']>[0]): void => this.#paces.resume(past)

  /** Its outcome is being stored: the place in the window is free again. */
  finished(outcome: Outcome, message?: Addressed): void {
    this.#claimed -= 1
    this.record(outcome, message)
  }

  /** Applies the outcome of a submission to the state of the device. */
  record(outcome: Outcome, message?: Addressed): void {
    const isBusy = outcome.kind === 'refused' && outcome.lasts === 'busy' && outcome.recipientAlone !== true
    const nowMs = this.#clock.monotonicMs()
    if (outcome.kind === 'unavailable' || isBusy) this.#restsUntilMs = nowMs + busyBackoffMs
    const isLimit =
      (outcome.kind === 'refused' || outcome.kind === 'unknown') && outcome.limitReached === true
    // Refusals while the limit lasts do not extend it: the first one tells when it was reached.
    if (isLimit && isPull(this.link) && nowMs >= this.#limitedUntilMs)
      this.#limitedUntilMs = nowMs + this.link.limitRestMs
    if (outcome.kind === 'accepted') this.#lastSentAt = this.#clock.now()
    this.#lastError = faultOfDevice(outcome) ?? this.#lastError
    if (this.trust.record(outcome, this.#facts, message)) this.unreported.clear()
  }

  #pacesOf({ pace }: DeviceFacts): SimPaces {
    return new SimPaces(pace, () => (isPull(this.link) ? this.link.sims : null))
  }

  /** How many messages it may be given now; while half open, one at a time. */
  #free(sender: string | null, trust: BreakerState, cannotSend: boolean): number {
    if (!this.hasLease) return 0
    if (trust === 'closed') return this.#room(sender)
    // A message that waits for its next attempt gives no evidence for minutes.
    const open = isPull(this.link)
      ? Math.max(this.unreported.size, cannotSend ? this.held.count : 0)
      : this.#claimed - (this.link.waiting ?? 0)
    return trust === 'trial' && open <= 0 ? Math.min(1, this.#room(sender)) : 0
  }

  /** The same next to a healthy device. A link sends a window before its first fault is known; a phone one by one. */
  #freeWithOthers(sender: string | null, free: number): number {
    const { maxWithOthers, hasFailed, isDoubted } = this.trust
    if (isDoubted) return Math.min(free, this.#free(sender, this.trust.state(true), false))
    if (isPull(this.link)) return Math.min(free, this.held.left)
    return hasFailed ? Math.min(free, Math.max(0, maxWithOthers - this.#claimed)) : free
  }

  /** None for a device with a rate limit: claiming consumes it. */
  get #ahead(): number {
    const none = this.#facts.pace !== null || isPull(this.link) || !this.#isLogged()
    return none ? 0 : (this.link.ahead ?? 0)
  }

  #room(sender: string | null): number {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs < Math.max(this.#restsUntilMs, this.#limitedUntilMs)) return 0
    const { window } = this.link
    const room = Math.max(0, window - this.#claimed + (window === 0 ? 0 : this.#ahead))
    if (this.#facts.pace === null || room === 0) return room
    const remaining = this.#paces.partsFor(sender, nowMs)
    // A claim of a tenth of it exceeds the rate limit by one message at most.
    return remaining === 0 ? 0 : Math.min(room, Math.max(1, Math.floor(remaining / maxPartsOfMessage)))
  }
}
