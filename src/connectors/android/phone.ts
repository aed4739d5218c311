import type { ConnectorEvents, Pull } from '../connector.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import type { Health } from '../health.ts'
import { appCapabilities, isSince, since } from './app-version.ts'
import { EventStreams, type StreamSink } from './event-streams.ts'
import { HookWatch } from './hook-watch.ts'
import { KnownSims } from './known-sims.ts'
import { type ClockWitness, PhoneClock } from './phone-clock.ts'
import { PhoneFailures, type ReportedState } from './phone-failures.ts'
import { healthOf, type RegisteredAs, type SeenHealth, type SeenSims, type VisitFacts } from './phone-health.ts' // prettier-ignore
import { ReadDocuments } from './read-documents.ts'
import { type AndroidSettings, readSettings } from './settings.ts'
import { Waker } from './waker.ts'

/** The app reopens its stream within this, however long it had failed. */
const maxReconnectMs = 60_000
/** How long its health is taken as it was while its stream is open and nothing happens; a stream that drains counts as dead after 5 s at the earliest. */
const standsMs = 1_000

/**
 * One phone as the service runs it: its event streams, last contact, and reported state. Messages do not pass
 * through it.
 */
export class Phone implements Pull {
  readonly capabilities = appCapabilities
  readonly #tools: ConnectorTools
  readonly #events: ConnectorEvents
  readonly #streams = new EventStreams()
  readonly #waker: Waker
  readonly #clock = new PhoneClock()
  /** The documents that it has read. */
  readonly documents = new ReadDocuments()
  /** Whether its signed hooks arrive. */
  readonly hooks = new HookWatch()
  #settings: AndroidSettings
  #phase: 'running' | 'resting' | 'stopped' = 'running'
  #cancelTick: (() => void) | null = null
  #contactMs: number | null = null
  #lastSeenAt: number | null = null
  #lostMs: number | null = null
  #wasStreaming = false
  #registration: RegisteredAs | null = null
  #wasOnPush = false
  #appVersion: string | null = null
  #battery: Health['battery'] = null
  #network: Health['network'] = null
  readonly #sims: KnownSims
  readonly #failures = new PhoneFailures()
  /** It was given a full page: more may be queued, for which no phone was woken. */
  hasBacklog = false
  #probedMs = Number.NEGATIVE_INFINITY
  #reported = ''
  /** Its health as it was read last, and when; null after a change. */
  #last: { health: Health; atMs: number } | null = null

  constructor(
    deps: { tools: ConnectorTools; events: ConnectorEvents },
    settings: Readonly<Record<string, string>>,
  ) {
    this.#tools = deps.tools
    this.#events = deps.events
    this.#settings = readSettings(settings)
    this.#sims = new KnownSims(this.#settings)
    this.#waker = new Waker({
      tools: deps.tools,
      settings: () => this.#settings,
      send: () => this.#streams.send('MessageEnqueued', null),
      unanswered: () => this.#unanswered(),
    })
  }

  get window(): number {
    return this.#settings.page
  }

  get pingIntervalS(): number {
    return this.#settings.pingIntervalS
  }

  get sims(): Pull['sims'] {
    return this.#sims.choice
  }

  get limitRestMs(): number {
    return this.#settings.limitRestMs
  }

  /** A message that it acknowledged, and reports nothing about for this long, is offered again. */
  get resyncAfterMs(): number {
    return this.#settings.resyncAfterMs
  }

  /** An event stream is open, and alive as far as this is known. */
  get isStreaming(): boolean {
    return this.#streams.countLive(this.#tools.monotonicMs(), this.#settings.drainMs) > 0
  }

  /** How far its clock is ahead of ours; 0 when unknown or negligible. */
  get clockOffsetMs(): number {
    return this.#clock.offsetMs
  }

  health(): Health {
    const nowMs = this.#tools.monotonicMs()
    const isStreaming = this.isStreaming
    this.#noteLoss(isStreaming, nowMs)
    const facts = {
      isStopped: this.#phase === 'stopped',
      isStreaming,
      silentMs: this.#contactMs === null ? null : nowMs - this.#contactMs,
      lostMs: this.#lostMs === null ? null : nowMs - this.#lostMs,
      usesPush: this.#registration?.usesPush ?? this.#wasOnPush,
      lastSeenAt: this.#lastSeenAt,
      appVersion: this.#appVersion,
      battery: this.#battery,
      network: this.#network,
      sims: this.#sims.shown,
      ...this.hooks.shown(nowMs, this.#settings.pingIntervalS),
      clockOffsetMs: this.#clock.offsetMs,
      failsRepeatedly: this.#failures.areRepeated,
      certificateUntilMs: this.#registration?.certificateUntilMs ?? null,
      visits: this.visits(nowMs),
      nowMs: this.#tools.now(),
    }
    const health = healthOf(facts, this.#settings)
    this.#last = { health, atMs: nowMs }
    return health
  }

  standing(): Health {
    const last = this.#last
    const isKnown = last?.health.link === 'stream' && this.#tools.monotonicMs() - last.atMs < standsMs
    return isKnown ? last.health : this.health()
  }

  async start(): Promise<void> {
    this.#events.healthChanged()
  }

  async stop(): Promise<void> {
    this.#phase = 'stopped'
    this.#last = null
    this.#waker.stop()
    this.#cancelTick?.()
    this.#streams.end()
  }

  applySettings(given: Readonly<Record<string, string>>): boolean {
    const [before, after] = [this.#settings, readSettings(given)]
    if (JSON.stringify(after.local) !== JSON.stringify(before.local)) return false
    this.#settings = after
    this.#last = null
    this.#sims.follow(after)
    if (before.pingIntervalS !== after.pingIntervalS) this.#streams.send('SettingsUpdated', null)
    return true
  }

  wake(): void {
    if (this.#phase === 'running') this.#waker.wake()
  }

  rest(isResting: boolean): void {
    if (this.#phase !== 'stopped') this.#phase = isResting ? 'resting' : 'running'
    this.#waker.stop()
  }

  recall(attemptId: string): void {
    if (isSince(this.#appVersion, since.cancel))
      this.#streams.send('MessageCancelled', { messageId: attemptId })
  }

  remember(known: Parameters<Pull['remember']>[0]): void {
    if (this.#contactMs !== null || known.lastSeenAt === null) return
    this.#wasOnPush = known.link === 'push'
    if (known.link === 'stream') this.#lostMs = this.#tools.monotonicMs() + maxReconnectMs
    if (known.link === 'none') this.#lostMs = Number.NEGATIVE_INFINITY
    this.#lastSeenAt = known.lastSeenAt
    this.#contactMs = this.#tools.monotonicMs() - Math.max(0, this.#tools.now() - known.lastSeenAt)
    this.#appVersion = known.appVersion
    this.#battery = known.battery
    this.hooks.remember(known, this.#tools.monotonicMs(), this.#settings.pingIntervalS)
    this.#network = known.network
    if (known.sims.length > 0) this.#sims.saw(known.sims)
  }

  /** Records contact by any authenticated request. */
  contact(registration: RegisteredAs, appVersion: string | null): void {
    this.#registration = registration
    this.hooks.contact({ nowMs: this.#tools.monotonicMs(), atMs: this.#tools.now() }, registration)
    this.#sims.registeredWith(registration.sims)
    this.#appVersion = appVersion ?? registration.appVersion ?? this.#appVersion
    this.#contactMs = this.#tools.monotonicMs()
    this.#lastSeenAt = this.#tools.now()
    this.#lostMs = null
    this.reportHealth()
  }

  /** How visits to it go; null: it makes contact by itself. */
  protected visits(_nowMs: number): VisitFacts | null {
    return null
  }

  /** Adds a stream; returns the function to call when it has ended. */
  openStream(sink: StreamSink): () => void {
    if (this.#phase === 'stopped') throw new Error('The phone was stopped.')
    const remove = this.#streams.add(sink)
    this.#tick()
    this.reportHealth()
    return () => {
      remove()
      this.reportHealth()
    }
  }

  /** Records a fetch. Must be called before anything is claimed for it. */
  fetching(): void {
    if (this.#waker.answered()) this.#streams.answered()
  }

  /** Records how many items it was given. */
  fetched(items: number): void {
    this.hasBacklog = items >= this.#settings.page
  }

  /** Applies reports that were stored and changed something. */
  reported(reports: readonly ReportedState[]): void {
    this.#failures.saw(reports)
    this.reportHealth()
  }

  /** Records when the phone dated something that it has just reported, by its own clock. */
  recordClock(from: ClockWitness, atMs: number): void {
    this.#clock.record(from, atMs - this.#tools.now())
    this.#last = null
  }

  /** Returns whether a signed timestamp may be current. */
  admitsHook(atMs: number): boolean {
    this.#last = null
    return this.#clock.admits(atMs - this.#tools.now(), atMs)
  }

  pinged({ battery, network, fails }: SeenHealth): void {
    const at = this.#tools.now()
    if (battery !== null) this.#battery = { ...battery, at }
    if (network !== null) this.#network = { ...network, roaming: null, operator: null, signalDbm: null, at }
    this.#failures.isReported = fails
    this.reportHealth()
  }

  sawSims(sims: SeenSims): void {
    this.#sims.saw(sims)
    this.reportHealth()
  }

  #unanswered(): boolean {
    this.#streams.unanswered()
    this.reportHealth()
    return this.isStreaming
  }

  #tick(): void {
    this.#cancelTick ??= this.#tools.schedule(this.#settings.keepAliveMs, () => {
      this.#cancelTick = null
      if (this.#streams.size === 0) return
      const nowMs = this.#tools.monotonicMs()
      this.#streams.keepAlive(nowMs)
      this.#probe(nowMs)
      this.reportHealth()
      this.#tick()
    })
  }

  /** Silence means nothing: a phone without messages is silent. A fetch event makes it respond. */
  #probe(nowMs: number): void {
    const { probeAfterMs } = this.#settings
    if (probeAfterMs === 0 || this.#contactMs === null) return
    if (nowMs - Math.max(this.#contactMs, this.#probedMs) < probeAfterMs) return
    this.#probedMs = nowMs
    this.wake()
  }

  #noteLoss(isStreaming: boolean, nowMs: number): void {
    if (this.#wasStreaming && !isStreaming) this.#lostMs = nowMs
    if (isStreaming) this.#lostMs = null
    this.#wasStreaming = isStreaming
  }

  /** Notifies the dispatcher if the health has changed. */
  reportHealth(): void {
    const { status, reasons, link } = this.health()
    const state = JSON.stringify([status, reasons, link])
    if (state === this.#reported) return
    this.#reported = state
    this.#events.healthChanged()
  }
}
