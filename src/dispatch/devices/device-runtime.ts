import type { Clock } from '../../runtime/clock.ts'
import { type Health, isPull, type Link, type Outcome, type Pull } from '../../connectors/connector.ts'
import type { Log } from '../../process/log.ts'
import type { BreakerState } from '../trust/breaker.ts'
import type { Candidate } from '../routes/choose-device.ts'
import type { DeviceFacts } from '../trust/device-facts.ts'
import { DeviceTrust } from '../trust/device-trust.ts'
import type { Addressed } from '../trust/doubt.ts'
import { drained } from './drained-health.ts'
import { HeldOffers } from '../trust/held-offers.ts'
import { knownSenders } from '../trust/known-senders.ts'
import { busyBackoffMs, faultOfDevice } from '../routes/retry-policy.ts'
import { type Sim, SimPaces, type SimRoom } from '../rates/sim-paces.ts'
import { type Throughput, throughputOf } from '../rates/throughput.ts'
import { noWord, type UnreportedOffer, UnreportedOffers } from './unreported-offers.ts'

/** A message has at most this many parts, so a claim of `remaining / 10` messages cannot pass the pace by more than one message. */
export const maxPartsOfMessage = 10

/** One running device: its link, what is open on it, how fast it may go, and whether it is used at all. */
export class DeviceRuntime {
  readonly link: Link | Pull
  /** Of a device that fetches, while it is on trial. */
  readonly unreported = new UnreportedOffers()
  /** Of a device that fetches. */
  readonly held: HeldOffers
  readonly #clock: Clock
  readonly trust: DeviceTrust
  readonly #leaseToken: (() => number | null) | null
  readonly #isLogged: () => boolean
  #facts: DeviceFacts
  #paces: SimPaces
  #open = 0
  #submitted = 0
  #restsUntilMs = Number.NEGATIVE_INFINITY
  /** Until when a limit that it keeps by itself lasts. */
  #limitedUntilMs = Number.NEGATIVE_INFINITY
  #lastSentAt: number | null = null
  #lastError: string | null = null

  constructor(
    deps: {
      clock: Clock
      log: Log
      breakerRestMs: number
      /** The token of its lease, null while that is not held. Left out where every node may serve the device. */
      leaseToken?: () => number | null
      /** Whether it is written down what leaves: then it may be claimed ahead of the window. */
      isLogged?: () => boolean
    },
    facts: DeviceFacts,
    link: Link | Pull,
  ) {
    this.#clock = deps.clock
    this.trust = new DeviceTrust(deps)
    this.#leaseToken = deps.leaseToken ?? null
    this.#isLogged = deps.isLogged ?? (() => false)
    this.#facts = facts
    this.link = link
    this.held = new HeldOffers(this.trust, () => isPull(link) && link.health().link === 'poll')
    this.#paces = this.#pacesOf(facts)
  }

  get facts(): DeviceFacts {
    return this.#facts
  }

  /** Whether this node may write to it: always, or while it has its lease. */
  get isHeld(): boolean {
    return this.#leaseToken === null || this.#leaseToken() !== null
  }

  /** Whether what was claimed for it may leave: under its lease, and while it is up. */
  get canLeave(): boolean {
    const { status } = this.health
    return this.isHeld && (status === 'online' || status === 'degraded')
  }

  /** Hand-overs that the link has. */
  get open(): number {
    return this.#submitted
  }

  /** Whether the link may be handed one more. */
  get hasRoom(): boolean {
    return this.#submitted < this.link.window
  }

  get lastSentAt(): number | null {
    return this.#lastSentAt
  }

  get lastError(): string | null {
    return this.#lastError
  }

  /** What the link says of itself, and whether it is trusted. */
  get health(): Health {
    return this.#facts.isDraining ? drained(this.#trusted) : this.#trusted
  }

  get #trusted(): Health {
    const said = this.link.health()
    const nowMs = this.#clock.monotonicMs()
    const reasons = [...this.trust.reasons, ...(nowMs < this.#limitedUntilMs ? ['limit_reached'] : [])]
    if (reasons.length === 0) return said
    const degraded = said.status === 'online' ? 'degraded' : said.status
    return {
      ...said,
      status: this.trust.isGivenUp ? 'offline' : degraded,
      reasons: [...new Set([...reasons, ...said.reasons])],
    }
  }

  /** Takes over a changed row. A changed pace begins a new window; and whoever changed it has seen to its troubles. */
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

  /** As a candidate for messages of this sender, whose SIM may be at its pace while another is not. */
  candidate(sender: string | null = null): Candidate {
    const { id, accountId, mode, isDraining, groupId } = this.#facts
    const { status } = this.health
    const cannotSend = this.#cannotSend
    const leaseToken = this.#leaseToken?.() ?? null
    const state = this.trust.state()
    const free = isDraining ? 0 : this.#free(sender, cannotSend && state === 'closed' ? 'trial' : state)
    const freeBeside = cannotSend ? 0 : this.#freeBeside(sender, free)
    return {
      id,
      accountId,
      mode,
      senders: knownSenders(this.#facts, this.link),
      // To messages that wait, a device that drains is none: another one may have them.
      health: !isDraining && (status === 'online' || status === 'degraded') ? status : 'offline',
      free,
      ...(freeBeside < free ? { freeBeside } : {}),
      ...(cannotSend || this.trust.isDoubted ? { isDoubted: true } : {}),
      ...(this.trust.hasFailed ? { hasFailed: true } : {}),
      load: this.link.window === 0 ? 1 : Math.min(1, this.#open / this.link.window),
      maxParts: this.link.capabilities.maxParts,
      alphanumericSender: this.link.capabilities.alphanumericSender,
      choosesEncoding: this.link.capabilities.encodingChoice,
      fetches: isPull(this.link),
      ...(leaseToken === null ? {} : { leaseToken }),
      ...(groupId === undefined ? {} : { groupId }),
      ...(this.claimsAhead ? { isLogged: true } : {}),
    }
  }

  /** It says so, and has not sent since it last failed: an app that may not look at its SIMs tells of none, and sends. */
  get #cannotSend(): boolean {
    return this.health.cannotSend === true && this.trust.goodInARow === 0
  }

  /** The pace and what is left of it; null when the device goes as fast as it can. */
  throughput(): Throughput | null {
    const { pace } = this.#facts
    return pace === null ? null : throughputOf(this.#paces, pace, this.#clock)
  }

  /** The SIMs that may send for this sender and what may still go over each, who has sent least first. */
  roomsFor(sender: string | null): SimRoom[] {
    return this.#paces.roomsFor(sender, this.#clock.monotonicMs())
  }

  /** Something waits for a device that fetches its messages. */
  wake(): void {
    if (isPull(this.link)) this.link.wake()
  }

  /** A message of this device was claimed. */
  opened(parts: number): void {
    this.#open += 1
    this.#paces.spend(null, parts, this.#clock.monotonicMs())
  }

  /** Whether it is claimed for ahead of its window. */
  get claimsAhead(): boolean {
    return this.#ahead > 0
  }

  /** One of those that were claimed is handed over. */
  submitted(): void {
    this.#submitted += 1
  }

  /** The link has told its outcome. */
  answered(): void {
    this.#submitted -= 1
  }

  /** A claim goes back without a try. */
  gaveBack(): void {
    this.#open -= 1
  }

  /** A message of this device was fetched: it counts towards the pace of its SIM, and what the device holds is counted by the database. */
  fetched({ sim, parts, ...offer }: UnreportedOffer & { sim: Sim; parts: number }): void {
    const nowMs = this.#clock.monotonicMs()
    this.#paces.spend(sim, parts, nowMs)
    this.held.given()
    if (this.trust.state() === 'trial') this.unreported.given(offer, nowMs)
  }

  /**
   * What of all that it fetched on trial has not ended, by the database: while any of it has not, it gets nothing more, and when its end was waited
   * for long enough it rests anew. Devices that all share carry its account meanwhile.
   */
  countedUnreported(offers: readonly UnreportedOffer[]): void {
    if (this.trust.state() === 'trial') this.unreported.counted(offers, this.#clock.monotonicMs())
    this.restIfOverdue()
  }

  /** A message that hangs on it on trial is one without an answer. */
  restIfOverdue(): void {
    if (this.unreported.isOverdue(this.#clock.monotonicMs())) this.heard(noWord)
  }

  /** A device that fetches has told what became of an attempt, whichever node gave it that. */
  toldOf(attemptId: string, outcome: Outcome): void {
    if (this.trust.state() === 'trial') this.unreported.told(attemptId)
    this.held.told()
    this.heard(outcome)
  }

  /** After a start: what of its pace the window before has used. */
  resumePace = (past: Parameters<SimPaces['resume']>[0]): void => this.#paces.resume(past)

  /** Its end is being stored: the room is free again. */
  closed(outcome: Outcome, message?: Addressed): void {
    this.#open -= 1
    this.heard(outcome, message)
  }

  /** What a hand-over came to says something of the device. */
  heard(outcome: Outcome, message?: Addressed): void {
    const isBusy = outcome.kind === 'refused' && outcome.lasts === 'busy' && outcome.recipientAlone !== true
    if (outcome.kind === 'unavailable' || isBusy)
      this.#restsUntilMs = this.#clock.monotonicMs() + busyBackoffMs
    if ((outcome.kind === 'refused' || outcome.kind === 'unknown') && outcome.limitReached) this.#limited()
    if (outcome.kind === 'accepted') this.#lastSentAt = this.#clock.now()
    this.#lastError = faultOfDevice(outcome) ?? this.#lastError
    if (this.trust.heard(outcome, this.#facts, message)) this.unreported.clear()
  }

  /** What it refuses while the limit lasts does not make that last longer: the first refusal tells when it was reached. */
  #limited(): void {
    const nowMs = this.#clock.monotonicMs()
    if (isPull(this.link) && nowMs >= this.#limitedUntilMs)
      this.#limitedUntilMs = nowMs + this.link.limitRestMs
  }

  #pacesOf({ pace }: DeviceFacts): SimPaces {
    return new SimPaces(pace, () => (isPull(this.link) ? this.link.sims : null))
  }

  /** Messages that it may be given now; while it is on trial, one and then the next. */
  #free(sender: string | null, trust: BreakerState): number {
    if (!this.isHeld) return 0
    if (trust === 'closed') return this.#room(sender)
    // What waits for another try tells nothing for minutes.
    const open = isPull(this.link)
      ? Math.max(this.unreported.size, this.#cannotSend ? this.held.count : 0)
      : this.#open - (this.link.waiting ?? 0)
    return trust === 'trial' && open <= 0 ? Math.min(1, this.#room(sender)) : 0
  }

  /** The same beside a sound device. A phone sends what it holds one by one; of a link a window has left before its first fault is known. */
  #freeBeside(sender: string | null, free: number): number {
    const { maxBeside, hasFailed, isDoubted } = this.trust
    if (isDoubted) return Math.min(free, this.#free(sender, this.trust.state(true)))
    if (isPull(this.link)) return Math.min(free, this.held.left)
    return hasFailed ? Math.min(free, Math.max(0, maxBeside - this.#open)) : free
  }

  /** None for a device with a pace: what is claimed is spent. */
  get #ahead(): number {
    const none = this.#facts.pace !== null || isPull(this.link) || !this.#isLogged()
    return none ? 0 : (this.link.ahead ?? 0)
  }

  #room(sender: string | null): number {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs < Math.max(this.#restsUntilMs, this.#limitedUntilMs)) return 0
    const { window } = this.link
    const room = Math.max(0, window - this.#open + (window === 0 ? 0 : this.#ahead))
    if (this.#facts.pace === null || room === 0) return room
    const remaining = this.#paces.partsFor(sender, nowMs)
    return remaining === 0 ? 0 : Math.min(room, Math.max(1, Math.floor(remaining / maxPartsOfMessage)))
  }
}
