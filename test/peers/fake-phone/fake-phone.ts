import { type Random, seededRandom } from '../seeded-random.ts'
import type { StreamEvent } from './event-stream.ts'
import type { InboundSms } from './inbox.ts'
import { type AppHouse, installApp, type InstalledApp } from './installed-app.ts'
import { LocalServer } from './local-server.ts'
import { cancelMessage } from './message-pull.ts'
import { createPhoneApi, type PhoneApi } from './phone-api.ts'
import { describeHealth } from './phone-health.ts'
import { isSince, type PhoneKnobs, turnKnobs } from './phone-knobs.ts'
import type { NoteRecord, PhoneLog } from './phone-log.ts'
import { PhoneNetwork } from './phone-network.ts'
import { createPhoneTime, type PhoneTime } from './phone-time.ts'
import { createPhoneWork, type PhoneWork } from './phone-work.ts'
import { describeSim, register, type SignUp } from './registration.ts'
import { StreamManager } from './stream-manager.ts'
import type { PhoneView } from './phone-view.ts'
import { randomId } from './webhook-queue.ts'

export interface PhoneHouse {
  phone: number
  /** As its user typed it in: paths are glued to it. */
  baseUrl: string
  signUp: SignUp
  knobs: PhoneKnobs
  seed: number
  log: PhoneLog
  /** PEM of the CA that its user installed. */
  ca: string | null
}

/** One phone with the app on it: boots, pulls, sends, reports, and goes wrong as its knobs say. */
export class FakePhone {
  readonly #house: PhoneHouse
  readonly #random: Random
  readonly #time: PhoneTime
  readonly #network: PhoneNetwork
  readonly #api: PhoneApi
  readonly #streams: StreamManager
  readonly #local: LocalServer
  readonly #work: PhoneWork
  #knobs: PhoneKnobs
  #app: InstalledApp
  #installation: { id: string; createdAtMs: number }
  #stopPing: () => void = () => {}

  constructor(house: PhoneHouse) {
    this.#house = house
    this.#knobs = house.knobs
    this.#random = seededRandom(house.seed)
    this.#time = createPhoneTime(() => this.#knobs)
    this.#network = new PhoneNetwork(house.ca)
    this.#api = createPhoneApi({ ...house, knobs: () => this.#knobs, network: this.#network })
    this.#app = installApp(this.#appHouse(), this.#knobs.foreignToken)
    this.#installation = this.#install()
    this.#local = new LocalServer({
      ...this.#appHouse(),
      now: this.#time.now,
      app: () => this.#app,
      installation: () => this.#installation,
    })
    this.#streams = new StreamManager({
      ...house,
      knobs: () => this.#knobs,
      network: this.#network,
      time: this.#time,
      registration: () => this.#app.memory.registration,
      opened: () => isSince(this.#knobs.appVersion, '1.53.1') && this.#work.pull.start(),
      heard: (event) => this.hear(event),
    })
    this.#work = this.#createWork()
  }

  /** Starts the app, for the first time or again. */
  boot(): void {
    if (this.#local.port === null) void this.#local.start()
    if (this.#knobs.isCloudOn) this.#startCloud()
    this.#startPing()
    if (isSince(this.#knobs.appVersion, '1.66.0')) {
      const simCards = this.#knobs.simCards.map((sim) => describeSim(sim, (value) => value))
      this.#app.queue.emit('app:started', { simCards })
    }
    this.#app.sender.wake()
  }

  #startCloud(): void {
    this.#work.registration.start()
    this.#work.pull.start()
    this.#work.webhooks.start()
    this.#work.settings.start()
  }

  /** Stops the app and starts it again; what it has stored stays. */
  restart(): void {
    this.#stopApp()
    this.boot()
  }

  /** Removes the app with all that it knows, and installs it anew. */
  reinstall(): void {
    this.clearData()
    this.#installation = this.#install()
  }

  /** Removes what the app knows: messages, settings and password. The package and what Android keeps stay. */
  clearData(): void {
    this.#stopApp()
    this.#time.clear()
    this.#app.reports.clear()
    this.#app.queue.clear()
    this.#app = installApp(this.#appHouse(), false, this.#app.inbox.sms)
    this.boot()
  }

  set(change: Partial<PhoneKnobs>): void {
    this.#knobs = turnKnobs(this.#knobs, change)
    this.#streams.applyHalfOpen()
    this.#local.applyFault()
    this.#app.sender.wake()
  }

  goOffline(): void {
    this.#network.goOffline()
  }

  goOnline(): void {
    this.#network.goOnline()
  }

  /** Ends its event streams, as a proxy on the way does. */
  cutStreams(): void {
    this.#streams.cut()
  }

  /** Opens one more event stream, as a second start of the service does. */
  openStream(): void {
    this.#streams.connect()
  }

  receiveSms(sms: InboundSms): void {
    this.#app.inbox.receive(sms)
  }

  /** A tick of its ping: tells its health, and pulls. */
  ping(): void {
    const messages = this.#app.store.all()
    const health = describeHealth(this.#knobs, messages, this.#time.now())
    this.#app.queue.emit('system:ping', { health })
    this.#work.pull.start()
  }

  /** An event, over a stream or over Google's push. */
  hear({ event, data }: StreamEvent): void {
    switch (event ?? 'MessageEnqueued') {
      case 'MessageEnqueued':
        return this.#work.pull.start()
      case 'WebhooksUpdated':
        return this.#work.webhooks.start()
      case 'SettingsUpdated':
        return this.#work.settings.start()
      case 'MessageCancelled':
        return this.#cancel(data)
      case 'MessagesExportRequested':
        return this.#app.inbox.export(data)
      default:
        return this.#note('event-unknown', { event, data })
    }
  }

  /** Any request with the token that it holds, for what no app would ask. */
  async call(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) {
    const token = this.#app.memory.registration?.token
    return this.#api.exchange({
      method,
      path,
      authorization: token === undefined ? null : `Bearer ${token}`,
      body,
    })
  }

  view(): PhoneView {
    const { memory, store, reports, queue } = this.#app
    const { registration, webhooks, settings } = memory
    return {
      phone: this.#house.phone,
      registration,
      isOnline: this.#network.isOnline,
      openStreams: this.#streams.open,
      webhooks,
      settings,
      localPort: this.#local.port,
      localPassword: this.#app.localPassword,
      messages: store.all(),
      reportsWaiting: reports.waiting,
      webhooksWaiting: queue.waiting,
      pullFailures: this.#work.pull.failures,
    }
  }

  #createWork(): PhoneWork {
    return createPhoneWork({
      time: this.#time,
      network: this.#network,
      failed: (work, error) => this.#note('work-failed', { work, reason: error.message }),
      all: () => ({ ...this.#appHouse(), ...this.#app, ...this.#kept() }),
      register: (signal) => this.#register(signal),
    })
  }

  /** Each success opens a stream more; a failure opens one only when there is none yet. */
  async #register(signal: AbortSignal): Promise<void> {
    const { memory } = this.#app
    const before = memory.registration
    try {
      const after = await register(
        {
          api: this.#api,
          knobs: () => this.#knobs,
          signUp: () => this.#signUp(),
          pushToken: () => (this.#channel() === 'push' ? memory.pushToken : null),
          registration: () => memory.registration,
        },
        signal,
      )
      if (signal.aborted) return
      memory.registration = after
      if (after !== before) this.#note('registered', { id: after.id, login: after.login })
      if (this.#channel() === 'sse') {
        for (let n = 0; n < this.#knobs.streams; n += 1) this.#streams.connect()
      }
    } catch (error) {
      if (!signal.aborted && this.#channel() === 'sse' && !this.#streams.isStarted) this.#streams.connect()
      throw error
    }
  }

  #kept() {
    const { memory } = this.#app
    return { registration: () => memory.registration, settings: () => memory.settings }
  }

  /** A private token that the server has pushed comes before the one that was typed in. */
  #signUp(): SignUp {
    const { privateToken } = this.#app.memory.settings
    return privateToken === null ? this.#house.signUp : { privateToken }
  }

  #channel(): PhoneKnobs['channel'] {
    const { channel } = this.#knobs
    return channel === 'push' && this.#app.memory.settings.notificationChannel === 'SSE_ONLY'
      ? 'sse'
      : channel
  }

  #cancel(data: string): void {
    if (!isSince(this.#knobs.appVersion, '1.67.0'))
      return this.#note('event-unknown', { event: 'MessageCancelled' })
    const { messageId } = (JSON.parse(data) ?? {}) as { messageId?: string }
    if (messageId !== undefined) cancelMessage(this.#app, messageId)
  }

  /** Settings that are pushed later change nothing before the next start. */
  #startPing(everyS = this.#app.memory.settings.pingEveryS ?? this.#knobs.pingEveryS): void {
    if (everyS === null) return
    this.#stopPing = this.#time.after(everyS * 1_000, () => {
      this.ping()
      this.#startPing(everyS)
    })
  }

  #stopApp(): void {
    this.#stopPing()
    const { port } = this.#local
    this.#local.stop()
    // The same again, unless the knobs name another.
    if (port !== null && this.#knobs.localPort === 0) this.#knobs = { ...this.#knobs, localPort: port }
    this.#streams.stop()
    for (const work of Object.values(this.#work)) work.stop()
  }

  #install(): { id: string; createdAtMs: number } {
    return { id: randomId(this.#random, 8).toLowerCase(), createdAtMs: this.#time.now() }
  }

  #note(what: NoteRecord['what'], detail: NoteRecord['detail']): void {
    this.#house.log.append({ kind: 'note', phone: this.#house.phone, at: Date.now(), what, detail })
  }

  #appHouse(): AppHouse {
    return {
      phone: this.#house.phone,
      log: this.#house.log,
      api: this.#api,
      knobs: () => this.#knobs,
      network: this.#network,
      time: this.#time,
      random: this.#random,
      note: (what, detail) => this.#note(what, detail),
    }
  }
}
