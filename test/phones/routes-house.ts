import { createHmac } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { AccountLimits } from '../../src/sending/account-limits.ts'
import { createServer } from '../../src/api/server.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { Phone } from '../../src/connectors/android/phone.ts'
import type {
  Offer,
  PhonePorts,
  Registration,
  Report,
  SaidByApp,
} from '../../src/connectors/android/ports.ts'
import { createPhoneRoutes } from '../../src/connectors/android/routes.ts'
import type { Inbound } from '../../src/connectors/connector.ts'
import { createStubClock, type StubClock } from '../stub-clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { createLog } from '../../src/process/log.ts'
import { createMetrics } from '../../src/process/metrics.ts'
import { registrationOf, toolsOf } from './phone-fixture.ts'

export const deviceToken = 'token-of-the-phone'
export const privateToken = 'onesixty_phone_right'

/** What was asked of the ports, and what they answer; a test turns it by hand. */
export interface StubStore {
  registration: Registration | null
  offers: Offer[]
  hasMore: boolean
  /** Thrown by whatever stores. */
  fault: Error | null
  registered: SaidByApp[]
  /** The private tokens that were looked up. */
  shown: string[]
  updated: SaidByApp[]
  reports: Report[]
  /** What could not be read, by kind and form. */
  unread: [string, string][]
  sent: { attemptId: string; sim: number | null; parts: number | null }[]
  inbound: Inbound[]
  pulls: number
  /** The end of the certificate of the server. */
  certificateUntilMs: number | null
  /** What a token waits for before it is known. */
  beforeIdentified: () => Promise<void>
}

interface TestAnswer {
  status: number
  headers: Headers
  text: string
  // Tests look into answers of every form.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface RoutesHouse {
  port: number
  clock: StubClock
  /** One JSON value for each line of the log. */
  logLines: string[]
  /** Open ones, as the server counts them. */
  connections(): Promise<number>
  /** Stops the server. */
  stop(): Promise<void>
  store: StubStore
  phone: Phone
  call(method: string, path: string, options?: CallOptions): Promise<TestAnswer>
  /** A webhook as the app signs it. */
  hook(event: string, payload: object, options?: HookOptions): Promise<TestAnswer>
  openStream(signal?: AbortSignal): Promise<TestStream>
}

export interface CallOptions {
  token?: string | null
  json?: unknown
  headers?: Record<string, string>
  appVersion?: string
}

export interface HookOptions {
  key?: string
  atMs?: number
  id?: string
  secret?: string
  headers?: Record<string, string>
}

export interface TestStream {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** From the request to the headers. */
  tookMs: number
  text(): string
  events(): string[]
  ended(): boolean
  close(): void
}

export const offerOf = (more: Partial<Offer> = {}): Offer => ({
  attemptId: 'att_01jxqz3v5hq8y9r2m4n6p8s0tw',
  to: '+4915550001234',
  text: 'Hello 👋',
  sim: null,
  priority: 0,
  createdAt: Date.parse('2026-11-21T09:00:00.120Z'),
  validUntil: Date.parse('2026-11-21T10:00:00.000Z'),
  state: 'pending',
  ...more,
})

/** The routes of phones on a real server, over ports that are made by hand and one phone that runs. */
export async function openRoutesHouse(config: Partial<Config> = {}): Promise<RoutesHouse> {
  const store: StubStore = {
    registration: registrationOf(),
    offers: [],
    hasMore: false,
    fault: null,
    registered: [],
    shown: [],
    updated: [],
    reports: [],
    unread: [],
    sent: [],
    inbound: [],
    pulls: 0,
    certificateUntilMs: null,
    beforeIdentified: async () => undefined,
  }
  let phone: Phone | null = null
  const routes = createPhoneRoutes({
    ports: portsOf(store, () => phone),
    clock: { now: () => clock.now() },
    publicUrl: () => config.publicUrl ?? 'https://sms.example.org',
    answerReach: () => null,
    openReach: async () => 'unknown',
    certificateUntilMs: () => store.certificateUntilMs,
  })
  const clock = createStubClock()
  const logLines: string[] = []
  const server = createServer({
    limits: new AccountLimits({ clock, config: { ...readConfig({}), ...config } }),
    config: { ...readConfig({}), ...config },
    clock,
    ids: createIds({ now: clock.now }),
    log: createLog('info', { write: (line) => void logLines.push(line) }),
    metrics: createMetrics(),
    publicUrl: () => config.publicUrl ?? 'https://sms.example.org',
    tls: null,
    mounts: [routes],
    hasConsole: false,
    readiness: async () => ({ ready: true, reasons: [] }),
    // Nobody asks for these here.
    authenticator: { authenticate: async () => null },
    operations: {} as never,
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo
  const stop = (): Promise<undefined> => server.close()
  onTestFinished(stop)
  const events = {
    receipt: async () => undefined,
    inbound: async () => undefined,
    lateOutcome: async () => undefined,
    healthChanged: () => undefined,
  }
  const running = new Phone({ tools: toolsOf(clock), events }, {})
  phone = running
  return {
    port,
    clock,
    logLines,
    connections: promisify(server.server.getConnections.bind(server.server)),
    stop,
    store,
    phone: running,
    call: (method, path, options = {}) => ask(port, method, path, requestOf(options)),
    hook: (event, payload, { key, atMs, id = 'hook-1', secret, headers } = {}) => {
      const body = JSON.stringify({ id, webhookId: 'w', event, deviceId: 'phn_1', payload })
      const timestamp = String(Math.floor((atMs ?? clock.now()) / 1_000))
      const signature = createHmac('sha256', key ?? 'a key of the house')
        .update(body + timestamp)
        .digest('hex')
      return ask(port, 'POST', `/hooks/${secret ?? 'hook-secret-1'}`, {
        body,
        headers: {
          'content-type': 'application/json; charset=UTF-8',
          'user-agent': 'me.capcom.smsgateway/1.68.0',
          'x-timestamp': timestamp,
          'x-signature': signature,
          ...headers,
        },
      })
    },
    openStream: (signal) => openStream(port, signal),
  }
}

function portsOf(store: StubStore, phone: () => Phone | null): PhonePorts {
  const stored = (run: () => void): void => {
    if (store.fault !== null) throw store.fault
    run()
  }
  return {
    async register(token, said) {
      store.shown.push(token)
      if (token !== privateToken) return null
      stored(() => store.registered.push(said))
      return { phoneId: 'phn_1', deviceToken, accountName: 'Ada', registration: store.registration }
    },
    async identify(token) {
      await store.beforeIdentified()
      return token === deviceToken ? store.registration : null
    },
    identifyHook: async (secret) => (secret === 'hook-secret-1' ? store.registration : null),
    update: async (_registration, said) => stored(() => store.updated.push(said)),
    async offer() {
      store.pulls += 1
      return store.offers
    },
    async report(_registration, reports) {
      const before = store.reports.map((report) => JSON.stringify(report))
      stored(() => store.reports.push(...reports))
      return reports.filter((report) => !before.includes(JSON.stringify(report)))
    },
    sentOver: async (_registration, sent) => stored(() => store.sent.push(sent)),
    inbound: async (_registration, inbound) => stored(() => store.inbound.push(inbound)),
    unparsed: (_registration, kind, form) => void store.unread.push([kind, form]),
    hasMore: async () => store.hasMore,
    phone,
  }
}

function requestOf({ token = deviceToken, json, headers, appVersion = '1.68.0' }: CallOptions): RequestInit {
  return {
    headers: {
      'user-agent': `me.capcom.smsgateway/${appVersion}`,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: typeof json === 'string' ? json : JSON.stringify(json) }),
  }
}

async function ask(port: number, method: string, path: string, init: RequestInit): Promise<TestAnswer> {
  const answer = await fetch(`http://127.0.0.1:${port}/mobile/v1${path}`, { method, ...init })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json') === true
  return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : null }
}

/** An event stream as the app opens it. */
const openStream = (port: number, signal?: AbortSignal): Promise<TestStream> =>
  new Promise((resolve, reject) => {
    const startedMs = performance.now()
    const request = httpRequest({
      port,
      host: '127.0.0.1',
      path: '/mobile/v1/events',
      agent: false,
      ...(signal && { signal }),
      headers: {
        authorization: `Bearer ${deviceToken}`,
        accept: 'text/event-stream',
        'user-agent': 'okhttp/4.10.0',
      },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      let text = ''
      let ended = false
      response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
      response.on('close', () => void (ended = true))
      response.on('error', () => undefined)
      request.on('error', () => undefined)
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        tookMs: performance.now() - startedMs,
        text: () => text,
        events: () => [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name ?? ''),
        ended: () => ended,
        close: () => void request.destroy(),
      })
    })
    request.end()
  })
