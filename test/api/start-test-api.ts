import { noRules } from '../no-rules.ts'
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Authenticator } from '../../src/accounts/keys/authenticator.ts'
import type { Mount } from '../../src/api/edge/mount.ts'
import { AccountLimits } from '../../src/sending/account-limits.ts'
import { createServer } from '../../src/api/server.ts'
import type { SendPorts } from '../../src/sending/send-ports.ts'
import { Sender } from '../../src/sending/sender.ts'
import { openAccount, type OpenedAccount } from '../../src/app/open-account.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { Routing } from '../../src/dispatch/devices/routing.ts'
import { createLog } from '../../src/process/log.ts'
import { findReplay } from '../../src/messages/send/find-replays.ts'
import { priceSend, sendMessages } from '../../src/messages/send/send-messages.ts'
import { readTimesTo } from '../../src/messages/send/times-to-numbers.ts'
import { readWaitingParts } from '../../src/messages/queue/queue-totals.ts'
import type { SendResult } from '../../src/messages/send/send-request.ts'
import { createMetrics } from '../../src/process/metrics.ts'
import type { TlsFiles } from '../../src/process/tls-files.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

export interface TestApi extends TestStorage {
  url: string
  port: number
  /** Requests that `node:http` read: the others were read straight from their connections. */
  readByNode(): number
  /** Settles when the server has stopped; the store stays open. */
  stop(): Promise<void>
  account: OpenedAccount
  /** One JSON value for each line of the log. */
  logLines: string[]
  request(method: string, path: string, options?: RequestOptions): Promise<TestAnswer>
  /** POST /api/v1/send with the test key. */
  send(body: unknown, options?: RequestOptions): Promise<TestAnswer>
}

export interface RequestOptions {
  key?: string | null
  headers?: Record<string, string>
  body?: string | Uint8Array
}

export interface TestAnswer {
  status: number
  headers: Headers
  text: string
  // Tests look into answers of every form.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface TestApiOverrides {
  config?: Partial<Config>
  ports?: Partial<SendPorts>
  routing?: Partial<Routing>
  ready?: boolean
  mounts?: readonly Mount[]
  tls?: TlsFiles
}

export const workingRouting: Routing = {
  enabled: true,
  online: true,
  simulated: true,
  phonesOnly: false,
  maxParts: 10,
  shared: true,
  paces: null,
  pickUpSeconds: 0,
}

/** What no device can do. */
const noRouting: Routing = {
  enabled: false,
  online: false,
  simulated: false,
  phonesOnly: false,
  maxParts: 0,
  shared: false,
  paces: null,
  pickUpSeconds: 0,
}
const knownSenders: ReadonlySet<string | null> = new Set([null, '+4915199990001', 'Onesixty'])

/** The interface on a free port over the real store and ledger, with routing made up; the clock stands still. */
export async function startTestApi(overrides: TestApiOverrides = {}): Promise<TestApi> {
  const opened = await openTestStorage()
  try {
    return await serve(opened, overrides)
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function serve(opened: TestStorage, overrides: TestApiOverrides): Promise<TestApi> {
  const { storage, clock, ids } = opened
  const config = { ...readConfig({}), ...overrides.config }
  const account = await storage.writer.write((tx) =>
    openAccount(
      tx,
      { ids, nowMs: clock.now(), randomBytes, config },
      { name: 'Ada', email: 'ada@example.org', actor: 'test' },
    ),
  )
  const ports = { ...realPorts(opened), routing: routingOf(overrides.routing), ...overrides.ports }
  const logLines: string[] = []
  const app = createServer({
    limits: new AccountLimits({ clock, config }),
    config,
    clock,
    ids,
    log: createLog('info', { write: (line) => void logLines.push(line) }),
    metrics: createMetrics(),
    authenticator: new Authenticator({ read: storage.read, clock }),
    publicUrl: () => 'https://sms.example.org',
    tls: overrides.tls ?? null,
    mounts: overrides.mounts ?? [],
    hasConsole: false,
    readiness: async () => ({
      ready: overrides.ready ?? true,
      reasons: overrides.ready === false ? ['draining'] : [],
    }),
    operations: {
      send: { sender: new Sender({ clock, ids, config, ports }) },
      status: { readOf: storage.readOf, now: clock.now },
      balance: { readOf: storage.readOf, now: clock.now },
      history: { readOf: storage.readOf, cursorKey: randomBytes(32) },
    },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  let readByNode = 0
  app.server.on('request', () => (readByNode += 1))
  const url = `http://127.0.0.1:${port}`
  const request = (method: string, path: string, options: RequestOptions = {}): Promise<TestAnswer> =>
    ask(url + path, method, { key: account.testKey, ...options })
  return {
    ...opened,
    url,
    port,
    readByNode: () => readByNode,
    stop: () => app.close(),
    account,
    logLines,
    request,
    send: (body, options = {}) =>
      request('POST', '/api/v1/send', {
        body: JSON.stringify(body),
        ...options,
        headers: { 'content-type': 'application/json', ...options.headers },
      }),
    async close() {
      await app.close()
      await opened.close()
    },
  }
}

const routingOf = (overrides: Partial<Routing> = {}): SendPorts['routing'] => ({
  forAccount: (_accountId, _mode, sender) =>
    knownSenders.has(sender) ? { ...workingRouting, ...overrides } : noRouting,
})

function realPorts({ storage }: TestStorage): Omit<SendPorts, 'routing'> {
  return {
    routes: noRules,
    explain: () => [],
    async store(request) {
      const [result] = await storage.writer.write((tx) =>
        sendMessages(tx, [request], takeChange(tx, request.createdAt)),
      )
      return result as SendResult
    },
    priceOnly: (request) => priceSend(storage.read, request),
    findReplay: (name) => findReplay(storage.read, name),
    optedOut: async () => new Set(),
    timesTo: (around, ranges) => readTimesTo(storage.read, around, ranges),
    pauseForPumping: async () => undefined,
    waitingParts: (accountId, mode) => readWaitingParts(storage.read, { accountId, mode }),
  }
}

async function ask(url: string, method: string, options: RequestOptions): Promise<TestAnswer> {
  const { key = null, headers = {}, body } = options
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
  const answer = await fetch(url, {
    method,
    headers: { ...authorization, ...headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
