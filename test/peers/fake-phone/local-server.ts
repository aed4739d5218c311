import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Random } from '../seeded-random.ts'
import type { InstalledApp } from './installed-app.ts'
import { answerInbox } from './local-inbox.ts'
import { answerMessages } from './local-messages.ts'
import { type LocalCall, type LocalReply, objectIn, refused } from './local-reply.ts'
import { writePhoneDate } from './phone-dates.ts'
import { describeHealth } from './phone-health.ts'
import type { PhoneKnobs } from './phone-knobs.ts'
import type { NoteRecord, PhoneLog } from './phone-log.ts'
import { importSettings, type PhoneSettings } from './phone-settings.ts'
import { describeSim } from './registration.ts'

export interface LocalServerHouse {
  phone: number
  log: PhoneLog
  knobs(): PhoneKnobs
  random: Random
  now(): number
  app(): InstalledApp
  /** `id` and `createdAt` of the package: both outlive its data. */
  installation(): { id: string; createdAtMs: number }
  note(what: NoteRecord['what'], detail: NoteRecord['detail']): void
}

/**
 * The app's Local Server: WebService.kt and the routes beside it, 1.68 (0cdc5d8). HTTP on all interfaces there, on the loopback here; one user with one
 * password by Basic authentication.
 */
export class LocalServer {
  readonly #house: LocalServerHouse
  readonly #asleep = new Set<() => void>()
  #server: Server | null = null

  constructor(house: LocalServerHouse) {
    this.#house = house
  }

  get port(): number | null {
    const address = this.#server?.address() as AddressInfo | null | undefined
    return address?.port ?? null
  }

  /** Listens where the knobs say; settles when it does. */
  start(port = this.#house.knobs().localPort): Promise<void> {
    if (port === null) return Promise.resolve()
    const server = createServer((request, response) => void this.#serve(request, response))
    // A port that the test has chosen may be taken for an instant yet.
    this.#server = server
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  }

  stop(): void {
    this.#server?.close()
    this.#server?.closeAllConnections()
    this.#server = null
  }

  /** The knobs have changed: what slept does now what it was asked. */
  applyFault(): void {
    if (this.#house.knobs().localFault === 'asleep') return
    for (const wake of this.#asleep) wake()
    this.#asleep.clear()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now()
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    const url = new URL(request.url ?? '/', 'http://phone')
    const call: LocalCall = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      body: Buffer.concat(chunks).toString('utf8'),
    }
    const fault = this.#faultOf(call)
    if (fault === 'cut-before') {
      this.#write(at, request, call, null, fault)
      return void request.socket.destroy()
    }
    if (fault === 'asleep') await new Promise<void>((resolve) => void this.#asleep.add(resolve))
    const { localDelayMs } = this.#house.knobs()
    if (localDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, localDelayMs))
    const reply = fault === 'error' ? refused('database is locked', 500) : this.#answer(request, call)
    if (fault === 'cut-after' || (fault === 'cut-new' && reply.status === 202)) {
      this.#write(at, request, call, null, fault)
      return void request.socket.destroy()
    }
    this.#write(at, request, call, reply.status, null)
    this.#respond(response, reply)
  }

  #faultOf({ method }: LocalCall): PhoneKnobs['localFault'] {
    const { localFault, localFaultOn, localFaultRate } = this.#house.knobs()
    const isMeant = (localFaultOn ?? method) === method && this.#house.random() < localFaultRate
    return isMeant ? localFault : 'none'
  }

  #answer(request: IncomingMessage, call: LocalCall): LocalReply {
    const { knobs, now, app } = this.#house
    const known = /^\/(?:$|device$|messages?(?:\/|$)|inbox(?:\/|$)|settings$|webhooks?(?:\/|$)|logs$)/
    if (call.path === '/health' && call.method === 'GET') {
      const health = describeHealth(knobs(), app().store.all(), now())
      return { status: health.status === 'fail' ? 500 : 200, json: health }
    }
    // What no route matches is not found, with any password or none.
    if (!known.test(call.path)) return { status: 404 }
    const { localUser } = knobs()
    const right = Buffer.from(`${localUser}:${app().localPassword}`).toString('base64')
    if (request.headers.authorization !== `Basic ${right}`) return { status: 401 }
    try {
      return this.#route(call) ?? { status: 404 }
    } catch (error) {
      return refused((error as Error).message)
    }
  }

  #route(call: LocalCall): LocalReply | null {
    const { knobs, now, app, installation } = this.#house
    const { store, sender, inbox } = app()
    const nowMs = now()
    const { id: deviceId, createdAtMs } = installation()
    if (call.path === '/') return { status: 200, json: { status: 'ok', model: knobs().name } }
    if (call.path === '/device') {
      const [createdAt, at] = [createdAtMs, nowMs].map((ms) => writePhoneDate(ms, knobs().zone))
      const simCards = knobs().simCards.map((sim) => describeSim(sim, (value) => value))
      const device = { id: deviceId, name: knobs().name, createdAt, updatedAt: at, lastSeen: at, simCards }
      return { status: 200, json: [device] }
    }
    if (call.path === '/settings') return this.#settings(call)
    if (call.path.startsWith('/inbox')) return answerInbox({ knobs, inbox, nowMs }, call)
    return answerMessages({ knobs, store, sender, deviceId, nowMs }, call)
  }

  /** SettingsRoutes.kt over `export` and `import` of MessagesSettings.kt; each change shows its user a notice. */
  #settings(call: LocalCall): LocalReply {
    const { memory } = this.#house.app()
    if (call.method === 'PATCH') {
      const body = objectIn(call)
      if (body === null) return refused('Invalid request: null')
      const before = JSON.stringify(memory.settings)
      memory.settings = importSettings(memory.settings, body, memory.firstSettings)
      if (JSON.stringify(memory.settings) !== before) this.#house.note('settings-notice', body)
    }
    return { status: 200, json: exported(memory.settings) }
  }

  #write(
    at: number,
    { headers, url = '' }: IncomingMessage,
    { method, body }: LocalCall,
    status: number | null,
    error: string | null,
  ): void {
    const { phone, log } = this.#house
    const { authorization } = headers
    log.append({
      kind: 'request', phone, at, tookMs: Date.now() - at, what: 'local', method, path: url, body, status, error,
      ...(authorization !== undefined && { authorization }),
    }) // prettier-ignore
    // Whoever has the answer may read the log at once.
    log.flush()
  }

  #respond(response: ServerResponse, { status, json, total }: LocalReply): void {
    const body = json === undefined ? '' : JSON.stringify(json)
    response.writeHead(status, {
      date: new Date(this.#house.now()).toUTCString(),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(total === undefined ? {} : { 'x-total-count': String(total) }),
      ...(status === 401 ? { 'www-authenticate': 'Basic realm="Access to SMS Gateway", charset=UTF-8' } : {}),
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  }
}

const exported = ({
  sendIntervalS,
  limitPeriod,
  limitValue,
  processingOrder,
  logLifetimeDays,
}: PhoneSettings) => ({
  encryption: {},
  gateway: {},
  messages: {
    send_interval_min: sendIntervalS[0],
    send_interval_max: sendIntervalS[1],
    limit_period: limitPeriod,
    limit_value: limitValue ?? 0,
    sim_selection_mode: 'OSDefault',
    ...(logLifetimeDays === null ? {} : { log_lifetime_days: logLifetimeDays }),
    processing_order: processingOrder,
  },
  ping: {},
  logs: {},
  webhooks: {},
})
